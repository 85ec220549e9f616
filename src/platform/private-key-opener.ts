/** The thread that opens a private key of SSH: see open-private-key.ts. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import ssh2 from 'ssh2';
import type { LockedKey } from './open-private-key.js';

function opened({ key, passphrase }: LockedKey): string | null {
  const parsed: unknown = ssh2.utils.parseKey(key, passphrase);
  const one: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  // Node reads the forms that OpenSSL writes, and ssh2 those of OpenSSH and PuTTY.
  const pem = one instanceof Error ? key : (one as ssh2.ParsedKey).getPrivatePEM();
  try {
    return written(createPrivateKey({ key: pem, passphrase }));
  } catch {
    return null;
  }
}

/** The key in a form that ssh2 reads. */
function written(key: KeyObject): string | null {
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
  return key.asymmetricKeyType === 'ed25519' ? ed25519(key) : null;
}

const BLOCK_BYTES = 8;
const LINE = /.{1,70}/g;

/** The form of OpenSSH, the only one that ssh2 reads such keys in. */
function ed25519(key: KeyObject): string {
  const { d = '', x = '' } = key.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const type = field('ssh-ed25519');
  const secret = [Buffer.alloc(8), type, field(point), field(Buffer.concat([seed, point])), field('')];
  const bytes = secret.reduce((sum, part) => sum + part.length, 0);
  for (let padding = 1; (bytes + padding - 1) % BLOCK_BYTES !== 0; padding++) secret.push(Buffer.of(padding));
  const one = Buffer.of(0, 0, 0, 1);
  const parts = [field('none'), field('none'), field(''), one, field(Buffer.concat([type, field(point)]))];
  const all = Buffer.concat([Buffer.from('openssh-key-v1\0'), ...parts, field(Buffer.concat(secret))]);
  const lines = all.toString('base64').match(LINE)?.join('\n');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** With its length before it. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

parentPort?.postMessage(opened(workerData as LockedKey));
