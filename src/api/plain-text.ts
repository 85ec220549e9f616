/** Texts that clients send to be kept or looked for. */
import { z } from 'zod';
import { isStorable } from '../domain/kernel/storable-text.js';

const UNSTORABLE = 'holds a NUL character or half a surrogate pair, which cannot be stored';

/** A text that Postgres can hold, of 1 to `maxCharacters` characters once trimmed and in NFC. */
export function plainText(maxCharacters: number): z.ZodType<string, string> {
  return z
    .string()
    .refine(isStorable, UNSTORABLE)
    .transform((text) => text.trim().normalize('NFC'))
    .pipe(
      z
        .string()
        .min(1, 'is empty')
        .refine((text) => [...text].length <= maxCharacters, `is longer than ${maxCharacters} characters`),
    );
}
