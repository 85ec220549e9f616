/** What the tests of connections to the servers of others share: the guard that allows loopback, and how failures are told. */
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { type AddressGuard, createAddressGuard } from '../../../src/platform/guard/address-guard.js';
import {
  RemoteFailure,
  type RemoteFailureCode,
  type RemoteFolder,
} from '../../../src/platform/remote/remote-folder.js';

/** Names → addresses, beside those that every machine knows. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.example': ['10.1.2.3'],
  'half-inside.example': ['93.184.215.14', '192.168.1.1'],
  'shop.example': ['127.0.0.1'],
};

async function resolveName(name: string): Promise<readonly string[]> {
  const addresses = NAMES[name];
  if (addresses === undefined) throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  return addresses;
}

/** Loopback is allowed, and no other network inside. */
export const LOOPBACK_GUARD = createAddressGuard({ allowedNetworks: ['127.0.0.0/8', '::1/128'], resolveName });
/** As in production: loopback is not allowed either. */
export const STRICT_GUARD = createAddressGuard({ allowedNetworks: [], resolveName });

/** A name that leads to `first` at the first lookup, and to 127.0.0.2 from then on, which is not allowed. */
export function rebindingGuard(first: readonly string[]): {
  readonly guard: AddressGuard;
  readonly lookups: () => number;
} {
  let asked = 0;
  const resolveName = async () => (asked++ === 0 ? first : ['127.0.0.2']);
  return { guard: createAddressGuard({ allowedNetworks: ['127.0.0.1/32'], resolveName }), lookups: () => asked };
}

/** Call it in the suite: what a test puts into the list is closed after it, the last first. */
export function closedAfterEach(): (() => Promise<void>)[] {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}

/** No test waits so long, unless a server is silent that should not be. */
export const PATIENT_MS = 20_000;
/** For servers that are silent on purpose. */
export const IMPATIENT_MS = 400;

export function never(): AbortSignal {
  return new AbortController().signal;
}

/** Fails unless the call fails with the code, and with a sentence that matches. @returns the failure */
export async function assertFails(
  call: Promise<unknown>,
  code: RemoteFailureCode,
  says: RegExp = /./,
): Promise<RemoteFailure> {
  const failure = await call.then(
    () => assert.fail(`it did not fail with ${code}`),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof RemoteFailure, `no RemoteFailure: ${String(failure)}`);
  assert.equal(`${failure.code}`, code, failure.message);
  assert.match(failure.message, says);
  return failure;
}

export async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What a run of a feed does: the first file is listed, read and moved away. */
export async function takeFirst(folder: RemoteFolder): Promise<Buffer> {
  const [file] = (await folder.list({ pattern: '*.csv', limit: 10 }, never())).files;
  if (file === undefined) throw new Error('it lists no file');
  const bytes = await bytesOf(await folder.read(file, { maxBytes: 100_000_000 }, never()));
  await folder.move(file.name, 'done', never());
  return bytes;
}
