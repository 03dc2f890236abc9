"""The page of a DCGM exporter with one GPU, whose temperature can be set."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = """# HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).
# TYPE DCGM_FI_DEV_GPU_TEMP gauge
DCGM_FI_DEV_GPU_TEMP{{gpu="0",UUID="GPU-0",device="nvidia0",modelName="NVIDIA L4"}} {celsius}
"""


class GpuExporter:
    def __init__(self):
        self.celsius = 60
        exporter = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(PAGE.format(celsius=exporter.celsius).encode())

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/metrics"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
