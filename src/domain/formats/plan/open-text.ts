/** Opens an upload as text: refuses what is no text, finds out the encoding, and converts it to UTF-8. */
import { RejectedInput } from '../model/rejected-input.js';
import type { FormatReading, SourceFormat } from '../model/source-format.js';
import type { UploadInput } from '../model/source-input.js';
import { declaredEncoding } from '../text/declared-encoding.js';
import { detectEncoding } from '../text/detect-encoding.js';
import type { TextEncoding } from '../text/encoding-names.js';
import { toUtf8 } from '../text/text-encoding.js';
import { peek, type ReadMeter, skipBytes, uploadBlocks } from '../text/upload-blocks.js';
import { HEAD_BYTES, refuseBinary, refuseOtherText } from './refuse-wrong-format.js';

/** The upload as UTF-8 without a byte order mark. */
export interface OpenText {
  readonly blocks: AsyncGenerator<Buffer>;
  readonly encoding: TextEncoding;
  /** Offset of the text in the upload: the length of the byte order mark. */
  readonly base: number;
}

/**
 * The text of an upload.
 * @throws RejectedInput WRONG_FORMAT, EMPTY_FILE, UNKNOWN_ENCODING, and the errors of decompression.
 */
export async function openText(
  input: UploadInput & { readonly format: SourceFormat },
  reading: FormatReading,
  meter: ReadMeter,
): Promise<OpenText> {
  const { head, rest } = await peek(uploadBlocks(input, meter), HEAD_BYTES);
  try {
    refuseBinary(head, input.format);
    const named = input.options.encoding ?? (reading.rows === 'elements' ? declaredEncoding(head) : undefined);
    const { encoding, markBytes } = detectEncoding(head, named);
    if (head.length === markBytes) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
    const utf8 = await peek(toUtf8(skipBytes(rest, markBytes), encoding), HEAD_BYTES);
    refuseOtherText(utf8.head, input.format, reading);
    return { blocks: utf8.rest, encoding, base: markBytes };
  } catch (error) {
    await rest.return(undefined);
    throw error;
  }
}
