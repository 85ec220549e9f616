/** Whom a notification goes to: the contacts of a document, or those that replace them for once. */
import { z } from 'zod';
import { isStorable } from '../kernel/storable-text.js';

const PHONE_TYPES = ['MOBILE', 'HOME', 'BUSINESS'] as const;

export interface Contact {
  readonly name?: { readonly first?: string; readonly middle?: string; readonly last?: string };
  readonly email?: string;
  readonly phone?: { readonly number: string; readonly type?: (typeof PHONE_TYPES)[number] };
}

const MAX_CONTACTS = 100;
const MAX_NAME_CHARACTERS = 255;
const MAX_EMAIL_CHARACTERS = 254;

/** Something, one @, and a domain of two labels or more; letters of any script. No part of it can backtrack far. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\]\\]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u;

const namePart = z.string().max(MAX_NAME_CHARACTERS).refine(isStorable, 'holds what cannot be stored').nullish();

const contact = z
  .strictObject({
    name: z.strictObject({ first: namePart, middle: namePart, last: namePart }).nullish(),
    email: z
      .string()
      .max(MAX_EMAIL_CHARACTERS)
      .refine((text) => EMAIL.test(text), 'is no e-mail address')
      .nullish()
      .meta({ format: 'email' }),
    phone: z
      .strictObject({
        number: z.string().regex(/^[0-9]{1,20}$/, 'expected 1 to 20 digits and nothing else'),
        type: z.enum(PHONE_TYPES).nullish(),
      })
      .nullish(),
  })
  .refine(({ email, phone }) => (email ?? phone ?? null) !== null, 'names neither an email nor a phone')
  .transform(tidied);

/** What a client sends: what is null is as good as left out, and is left out of the result. */
export const contactInfoSchema = z.array(contact).max(MAX_CONTACTS);

/** What is null in a contact may as well not be there. */
type Untidy<T> = { readonly [K in keyof T]?: Untidy<T[K]> | null | undefined };

/** Without nulls, and with its fields in the order of this file: the database keeps none. */
function tidied({ name, email, phone }: Untidy<Contact>): Contact {
  const { first, middle, last } = name ?? {};
  const { number, type } = phone ?? {};
  return withoutNulls({
    name: name && withoutNulls({ first, middle, last }),
    email,
    phone: phone && withoutNulls({ number, type }),
  }) as Contact;
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Contacts as they come from the database. */
export function storedContacts(stored: readonly unknown[] | null): Contact[] {
  return (stored ?? []).map((one) => tidied(one as Contact));
}

/** The same text for the same people, whatever their order and however their addresses are capitalized. */
export function contactKey(contacts: readonly Contact[]): string {
  const keys = contacts.map(({ email, ...rest }) => JSON.stringify([email?.toLowerCase() ?? null, rest]));
  return JSON.stringify(keys.sort());
}
