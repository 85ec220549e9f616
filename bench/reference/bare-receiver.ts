/** Where the benchmark's webhooks go: a keep-alive server that reads and answers 204. Argument: a path that never answers. Tells its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [hanging = ''] = process.argv.slice(2);

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  if (hanging !== '' && request.url === hanging) return;
  request.on('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
