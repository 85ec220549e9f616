import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRaw } from '../support/http/raw-http.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';

describe('the API process', () => {
  let database: TestDatabase;
  let folder: string;
  const started: RunningProgram[] = [];
  before(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'longshore-process-'));
  });
  after(async () => {
    for (const { process: child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ end }) => end));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  function run(environment: Record<string, string> = {}): RunningProgram {
    const program = runProgram('app/api/main.js', [], {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
      DATA_DIR: folder,
      PORT: '0',
      ...environment,
    });
    started.push(program);
    return program;
  }
  const listening = async (program: RunningProgram) =>
    (await program.said(/"url":"(http:\/\/127\.0\.0\.1:\d+)","msg":"listening"/))[1] ?? '';
  /** A request whose body is still to come. */
  const half = (url: string) =>
    openRaw(
      url,
      'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n',
    );

  it('listens, answers, and ends with 0 on SIGTERM', async () => {
    const program = run();
    const url = await listening(program);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    program.process.kill('SIGTERM');
    assert.equal((await program.end).code, 0);
  });

  it('lets a request finish before it ends, and takes no new one', async () => {
    const program = run();
    const url = await listening(program);
    const request = half(url);
    await request.received(/100 Continue/);
    program.process.kill('SIGTERM');
    await program.said(/"msg":"ending"/);
    await assert.rejects(fetch(`${url}/healthz`));
    request.socket.write('grant_type=x');
    const answer = await request.ended;
    assert.match(answer, /HTTP\/1.1 400[\s\S]*connection: close[\s\S]*unsupported_grant_type/i);
    assert.equal((await program.end).code, 0);
  });

  it('cuts what has not finished after the grace period', async () => {
    const program = run({ SHUTDOWN_GRACE_MS: '200' });
    const request = half(await listening(program));
    await request.received(/100 Continue/);
    program.process.kill('SIGTERM');
    assert.equal((await program.end).code, 0);
    await request.ended;
  });

  it('ends at once on a second signal', async () => {
    const program = run({ SHUTDOWN_GRACE_MS: '20000' });
    const request = half(await listening(program));
    await request.received(/100 Continue/);
    program.process.kill('SIGTERM');
    await program.said(/"msg":"ending"/);
    program.process.kill('SIGTERM');
    assert.equal((await program.end).code, 1);
  });

  it('names each variable that is wrong and ends with 1', async () => {
    const { code, stderr } = await run({ PORT: 'http', DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud' }).end;
    assert.equal(code, 1);
    const lines = stderr.trim().split('\n');
    assert.deepEqual(lines.map((line) => line.split(':')[0]).sort(), ['DATABASE_URL', 'LOG_LEVEL', 'PORT']);
  });

  it('says in one sentence that its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await run({ PORT: String(port) }).end;
    other.close();
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^api: port ${port} on 127\\.0\\.0\\.1 is in use by another process; [^\n]*\n$`));
  });

  it('starts without its database, and says that it is not ready', async () => {
    const program = run({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
    const url = await listening(program);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal((await fetch(`${url}/readyz`)).status, 503);
    program.process.kill('SIGTERM');
    const { code, stdout, stderr } = await program.end;
    assert.equal(code, 0);
    assert.equal(stdout, '');
    for (const line of stderr.trim().split('\n')) assert.match(line, /^\{/, 'only the log is written');
  });
});
