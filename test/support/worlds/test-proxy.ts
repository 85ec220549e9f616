/** nginx and HAProxy as Debian packages them, with the files that are deployed, in front of a server of a test. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { guardAgainstOurDeath } from '../../../src/launcher/death-guard.js';
import { KEY, OF_LOOPBACK } from '../faults/certificates.js';
import { until } from '../until.js';
import { findProgram } from './find-program.js';
import { reservePort } from './reserved-port.js';
import { testEnvironment } from './test-environment.js';

const FILES = resolve('deploy', 'proxy');
const READY_WITHIN_MS = 30_000;
/** In place of 200 and 300 connections of an address, and of the 10 s in which all headers have to arrive. */
export const FEWER_CONNECTIONS = 20;
export const HEADERS_WITHIN_MS = 3_000;

export const PROXIES = ['nginx', 'haproxy'] as const;
export type ProxyName = (typeof PROXIES)[number];

export interface TestProxy {
  /** Where it listens, by TLS, on 127.0.0.1. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Skips a test where the proxy is not installed. @throws where REQUIRE_PROXIES says that it must be */
export function skipWithoutProxy(test: Mocha.Context, name: ProxyName): void {
  if (findProgram(name) !== undefined) return;
  if (testEnvironment().requireProxies) {
    throw new Error(`REQUIRE_PROXIES=1 and no ${name} was found: apt-get install nginx-light haproxy`);
  }
  test.skip();
}

/**
 * Starts it with the deployed file, but for its port, its certificate, the server behind it, and limits that a test reaches.
 * @param behind host:port of web
 */
export async function startTestProxy(name: ProxyName, behind: string): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), `longshore-${name}-`));
  const port = await reservePort();
  const place = { folder, port, behind };
  const child = name === 'nginx' ? startNginx(place) : startHaproxy(place);
  const guard = child.pid === undefined ? undefined : guardAgainstOurDeath(child.pid, folder);
  await until(`${name} listens`, () => child.exitCode !== null || accepts(port), READY_WITHIN_MS);
  if (child.exitCode !== null) throw new Error(`${name} has ended with ${child.exitCode}`);
  return {
    port,
    stop: async () => {
      const ended = once(child, 'exit');
      // Both end at once, with the connections that they have.
      child.kill(name === 'nginx' ? 'SIGTERM' : 'SIGINT');
      await ended;
      guard?.dismiss();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly behind: string;
}

function startNginx({ folder, port, behind }: Place): ChildProcess {
  const certificate = join(folder, 'longshore.pem');
  const key = join(folder, 'longshore.key');
  writeFileSync(certificate, OF_LOOPBACK);
  writeFileSync(key, KEY);
  const site = join(folder, 'longshore.conf');
  const changed = replaced('nginx.conf', [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/ssl/longshore.pem', certificate],
    ['/etc/ssl/longshore.key', key],
    ['server 127.0.0.1:3000', `server ${behind}`],
    ['limit_conn longshore_addresses 200', `limit_conn longshore_addresses ${FEWER_CONNECTIONS}`],
    ['client_header_timeout 10s', `client_header_timeout ${HEADERS_WITHIN_MS}ms`],
  ]);
  writeFileSync(site, changed);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${join(folder, what)};`,
  );
  const main = join(folder, 'nginx.conf');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    main,
    `${user} daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log stderr crit;
     events { worker_connections 1000; }
     http { access_log off; ${temporary.join(' ')} include ${site}; }`,
  );
  return spawn(findProgram('nginx') ?? '', ['-c', main, '-p', folder, '-e', 'stderr'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function startHaproxy({ folder, port, behind }: Place): ChildProcess {
  const certificate = join(folder, 'longshore.pem');
  writeFileSync(certificate, `${OF_LOOPBACK}\n${KEY}\n`);
  const file = join(folder, 'haproxy.cfg');
  const changed = replaced('haproxy.cfg', [
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/etc/haproxy/longshore.pem', certificate],
    ['server web1 127.0.0.1:3000', `server web1 ${behind}`],
    ['sc0_conn_cur gt 300', `sc0_conn_cur gt ${2 * FEWER_CONNECTIONS}`],
    ['sc0_conn_cur gt 200', `sc0_conn_cur gt ${FEWER_CONNECTIONS}`],
    ['timeout http-request 10s', `timeout http-request ${HEADERS_WITHIN_MS}ms`],
    ['maxconn 8000', 'maxconn 400'],
  ]);
  writeFileSync(file, changed);
  return spawn(findProgram('haproxy') ?? '', ['-f', file, '-db', '-q'], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** A deployed file with other values. @throws for one that the file does not have */
function replaced(name: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`deploy/proxy/${name} does not say ${from}`);
      return text.replace(from, to);
    },
    readFileSync(join(FILES, name), 'utf8'),
  );
}

function accepts(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((isOpen) => {
    socket.destroy();
    return isOpen === true;
  });
}
