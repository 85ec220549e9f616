/** A name server on loopback, RFC 1035 as far as tests need it: addresses, refusals and silence. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

const CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const TYPES: Readonly<Record<number, Question['type']>> = { 1: 'A', 2: 'NS', 28: 'AAAA' };
const TYPE_NUMBERS = { A: 1, NS: 2, AAAA: 28, other: 0 } as const;

export interface Question {
  /** Without the dot at its end; the root is ''. */
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'NS' | 'other';
}

/** Addresses of the type that was asked for (none: there is such a name, without any), a refusal, or nothing at all. */
export type NameAnswer = readonly string[] | keyof typeof CODES | 'silence';

export interface NameServer {
  /** As resolvers are told of it: `127.0.0.1:5353`. */
  readonly address: string;
  /** Everything that was asked, in order. */
  readonly asked: Question[];
  stop(): Promise<void>;
}

const HEADER_BYTES = 12;

export async function startNameServer(answer: (question: Question) => NameAnswer): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: Question[] = [];
  socket.on('message', (query, { port, address }) => {
    // Whoever had the port before may still be sent something.
    if (query.length <= HEADER_BYTES) return;
    const { question, end } = readQuestion(query);
    asked.push(question);
    const said = answer(question);
    if (said !== 'silence') socket.send(writeAnswer(query.subarray(0, end), question, said), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { question: Question; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1)] ?? 'other';
  return { question: { name: labels.join('.').toLowerCase(), type }, end: at + 5 };
}

/** @param asked the query's head and its one question, which every answer repeats */
function writeAnswer(asked: Buffer, { type }: Question, said: Exclude<NameAnswer, 'silence'>): Buffer {
  const addresses = typeof said === 'string' ? [] : said;
  const head = Buffer.from(asked);
  // An answer, to a question that may be passed on, by one who does.
  head.writeUInt16BE(0x8180 | (typeof said === 'string' ? CODES[said] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map((address) => writeRecord(type, address))]);
}

function writeRecord(type: Question['type'], address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const record = Buffer.alloc(HEADER_BYTES);
  // The name is the one that was asked for: a pointer to where the question has it.
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(TYPE_NUMBERS[type], 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}
