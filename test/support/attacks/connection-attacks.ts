/** Attacks by many connections, and by what is sent on them before there is a request that could be refused. */
import { connect, type Socket } from 'node:net';
import { until } from '../until.js';
import type { Attack, Attacker } from './attack.js';

const ASKED = 'GET /api-product/v1/product?limit=1 HTTP/1.1\r\nHost: x\r\n';
const PIPELINING_CONNECTIONS = 100;
const REQUESTS_PER_WRITE = 1_000;
const HEADER_CONNECTIONS = 100;
const HEADER_LINES_A_SECOND = 10_000;
const TICK_MS = 100;
const REOPENED_AFTER_MS = 20;

/** The attacks, by what they do. */
export const CONNECTION_ATTACKS = {
  '2,000 connections that ask again as soon as they are answered': (attacker: Attacker) => {
    const request = `${ASKED}${authorizationOf(attacker)}\r\n`;
    return connections(2_000 * attacker.strength, attacker, (socket) => {
      socket.write(request);
      socket.on('data', (bytes) => {
        if (bytes.includes('HTTP/1.1 ') && socket.writable) socket.write(request);
      });
    });
  },
  'pipelined requests without a token, whose answers nobody reads': (attacker: Attacker) => pipelining(attacker, ''),
  'pipelined requests with a token, whose answers nobody reads': (attacker: Attacker) =>
    pipelining(attacker, authorizationOf(attacker)),
  '10,000 header lines a second, of requests without an end': (attacker: Attacker) => {
    let timer: NodeJS.Timeout | undefined;
    const sockets = new Set<Socket>();
    const attack = connections(HEADER_CONNECTIONS * attacker.strength, attacker, (socket) => {
      socket.write(ASKED);
      socket.resume();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    const lines = (HEADER_LINES_A_SECOND * TICK_MS) / 1_000 / HEADER_CONNECTIONS;
    return {
      begin: async () => {
        await attack.begin();
        timer = setInterval(() => {
          for (const socket of sockets) if (socket.writable) socket.write('X-Line: 1\r\n'.repeat(lines));
        }, TICK_MS);
      },
      end: async () => {
        clearInterval(timer);
        await attack.end();
      },
    };
  },
  '2,000 half requests': (attacker: Attacker) =>
    connections(2_000 * attacker.strength, attacker, (socket) => {
      socket.write(`${ASKED}X-Half: `);
      socket.resume();
    }),
} satisfies Readonly<Record<string, (attacker: Attacker) => Attack>>;

export const CONNECTION_ATTACK_NAMES = Object.keys(CONNECTION_ATTACKS) as (keyof typeof CONNECTION_ATTACKS)[];

function authorizationOf({ account, token }: Attacker): string {
  return `Authorization: Bearer ${token}\r\nX-Site-Context: ${JSON.stringify({ account })}\r\n`;
}

function pipelining(attacker: Attacker, authorization: string): Attack {
  const requests = Buffer.from(`${ASKED}${authorization}\r\n`.repeat(REQUESTS_PER_WRITE));
  return connections(PIPELINING_CONNECTIONS * attacker.strength, attacker, (socket) => {
    // Nothing is read: there is no listener for data.
    const send = () => {
      if (socket.writable) socket.write(requests, send);
    };
    send();
  });
}

/** Keeps so many connections open: one that is closed is opened again. @param use of each, once it is connected */
function connections(count: number, { baseUrl, localAddress }: Attacker, use: (socket: Socket) => void): Attack {
  const { hostname, port } = new URL(baseUrl);
  const open = new Set<Socket>();
  let isOver = true;

  function openOne(): void {
    if (isOver) return;
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    open.add(socket);
    socket.once('connect', () => use(socket));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      setTimeout(openOne, REOPENED_AFTER_MS);
    });
  }

  return {
    begin: () => {
      isOver = false;
      for (let number = 0; number < count; number++) openOne();
    },
    end: async () => {
      isOver = true;
      const closed = [...open].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
      // The server counts them until it has noticed.
      const hasRoom = async () => (await fetch(`${baseUrl}/healthz`)).ok;
      await until('the server has noticed that the connections are closed', hasRoom, 10_000);
    },
  };
}
