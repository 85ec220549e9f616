/**
 * Encrypts secrets that must be readable again before they are stored: AES-256-GCM with a key derived from SECRETS_KEY.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 8;
const VERSION = 'v1';

interface SealingKey {
  /** Identifies the key that sealed a text, without revealing anything about the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** A sealed text cannot be opened: its key is not configured, or it was altered or belongs to another place. */
class UnsealError extends Error {
  override readonly name = 'UnsealError';
}

/**
 * Seals a text under the first (newest) of the keys.
 * @param place what the text is and whose, "webhook_definition 5f… secret"; it can be opened only for the same place
 */
export function sealSecret(secretsKeys: readonly string[], place: string, text: string): string {
  const [newest] = secretsKeys;
  if (newest === undefined) throw new Error('there is no SECRETS_KEY to seal with');
  const key = sealingKey(newest);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(Buffer.from(place, 'utf8'));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [VERSION, key.id, Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')].join('.');
}

/** Opens a text that sealSecret sealed. @throws UnsealError when none of the keys is the one that sealed it */
export function unsealSecret(secretsKeys: readonly string[], place: string, sealed: string): string {
  const [version, keyId, body] = sealed.split('.');
  const key = secretsKeys.map(sealingKey).find(({ id }) => id === keyId);
  if (version !== VERSION || body === undefined || key === undefined) {
    throw new UnsealError(`SECRETS_KEY contains no key that opens "${place}"; add the key that sealed it to the list`);
  }
  const bytes = Buffer.from(body, 'base64url');
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(place, 'utf8'))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new UnsealError(`the sealed text of "${place}" was altered, or was sealed for another place`, {
      cause: error,
    });
  }
}

/** Opens secrets that are to be replaced, even if no key opens them any more. @returns undefined when none does */
export function unlessLost<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnsealError) return undefined;
    throw error;
  }
}

/** Whether a sealed text was sealed under the newest key. If not, it should be sealed again. */
export function isSealedWithNewest(secretsKeys: readonly string[], sealed: string): boolean {
  const [newest] = secretsKeys;
  return newest !== undefined && sealed.split('.')[1] === sealingKey(newest).id;
}

const madeKeys = new Map<string, SealingKey>();

/** Derives a key for this purpose alone: the same SECRETS_KEY also signs URLs. */
function sealingKey(secretsKey: string): SealingKey {
  const made = madeKeys.get(secretsKey);
  if (made !== undefined) return made;
  const bytes = Buffer.from(hkdfSync('sha256', secretsKey, '', 'longshore sealed secrets', 32));
  const key = { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, KEY_ID_CHARACTERS) };
  madeKeys.set(secretsKey, key);
  return key;
}
