/** The least a host could be: Node, a socket, a line of JSON back for every line that comes. */
import { createServer } from "node:net";

createServer((socket) => {
  let text = "";
  socket.on("error", () => socket.destroy());
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const { id } = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
    }
  });
}).listen(process.argv[2]);
