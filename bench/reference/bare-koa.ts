/** The reference of `accept`: Koa, koa-body and one INSERT a request. A process of its own; argument: the database's URL. */
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';

/** What an API process of the service has for its requests. */
const CONNECTIONS = 10;

const pool = new pg.Pool({ connectionString: process.argv[2], max: CONNECTIONS });
const app = new Koa();
app.use(koaBody({ jsonLimit: '32mb' }));
app.use(async (context) => {
  const body: unknown = context.request.body;
  const { rows } = await pool.query('INSERT INTO bare_request (body) VALUES ($1) RETURNING id', [JSON.stringify(body)]);
  context.status = 202;
  context.body = { id: String(rows[0]?.id) };
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
// The benchmark has ended, in whatever way.
process.once('disconnect', () => process.exit());
