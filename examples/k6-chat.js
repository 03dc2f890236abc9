// k6 run examples/k6-chat.js -e URL=http://127.0.0.1:8080 -e MODEL=sluice-8b [-e KEY=sk-...]
// http_req_waiting is the time to the first byte of the stream.
import http from 'k6/http';
import { check } from 'k6';

export const options = {
  scenarios: {
    chats: { executor: 'constant-arrival-rate', rate: 5, timeUnit: '1s', duration: '20s', preAllocatedVUs: 50 },
  },
  thresholds: { checks: ['rate==1'] },
};

export default function () {
  const body = {
    model: __ENV.MODEL,
    stream: true,
    max_tokens: 30,
    messages: [{ role: 'user', content: `Question ${__VU}-${__ITER}` }],
  };
  const headers = { 'Content-Type': 'application/json' };
  if (__ENV.KEY) {
    headers.Authorization = `Bearer ${__ENV.KEY}`;
  }
  const response = http.post(`${__ENV.URL}/v1/chat/completions`, JSON.stringify(body), { headers });
  check(response, {
    'status is 200': (r) => r.status === 200,
    'stream is complete': (r) => r.body.endsWith('data: [DONE]\n\n'),
  });
}
