/** Texts that clients send to be stored or searched for. */
import { z } from 'zod';
import { isStorable } from '../domain/kernel/characters.js';

const UNSTORABLE = 'contains a NUL character or an unpaired surrogate, which cannot be stored';

/** A text that Postgres can store. It is trimmed and converted to NFC, and then has 1 to `maxCharacters` characters. */
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
