/** The text of a whole file in one of the encodings. */
import { encodingNamed } from '../../../src/domain/formats/text/encoding-names.js';
import { toUtf8 } from '../../../src/domain/formats/text/text-encoding.js';

/** @param name of an encoding; null for one that is not known */
export async function decodeText(bytes: Buffer, name: string): Promise<string | null> {
  const encoding = encodingNamed(name);
  if (encoding === undefined) return null;
  const decoded: Buffer[] = [];
  async function* blocks(): AsyncGenerator<Buffer> {
    yield Buffer.from(bytes);
  }
  for await (const block of toUtf8(blocks(), encoding)) decoded.push(Buffer.from(block));
  return Buffer.concat(decoded).toString();
}
