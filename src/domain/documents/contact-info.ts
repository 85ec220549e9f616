/** Contacts, to which notifications go: those of a document, or those that replace them in one notification. */
import { z } from 'zod';
import { isStorable } from '../kernel/characters.js';

const PHONE_TYPES = ['MOBILE', 'HOME', 'BUSINESS'] as const;

export interface Contact {
  readonly name?: { readonly first?: string; readonly middle?: string; readonly last?: string };
  readonly email?: string;
  readonly phone?: { readonly number: string; readonly type?: (typeof PHONE_TYPES)[number] };
}

const MAX_CONTACTS = 100;
const MAX_NAME_CHARACTERS = 255;
const MAX_EMAIL_CHARACTERS = 254;

/**
 * A local part, @, and a domain of at least two labels, with letters of any script. No part of it can backtrack far.
 */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\]\\]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u;

const namePart = z
  .string()
  .max(MAX_NAME_CHARACTERS)
  .refine(isStorable, 'holds a NUL character or half a surrogate pair, which cannot be stored')
  .nullish();

const contact = z
  .strictObject({
    name: z.strictObject({ first: namePart, middle: namePart, last: namePart }).nullish(),
    email: z
      .string()
      .max(MAX_EMAIL_CHARACTERS)
      .refine((text) => EMAIL.test(text), 'is not an e-mail address')
      .nullish()
      .meta({ format: 'email' }),
    phone: z
      .strictObject({
        number: z.string().regex(/^[0-9]{1,20}$/, 'expected 1 to 20 digits and nothing else'),
        type: z.enum(PHONE_TYPES).nullish(),
      })
      .nullish(),
  })
  .refine(({ email, phone }) => (email ?? phone ?? null) !== null, 'has neither an email nor a phone; give one of them')
  .transform(normalized);

/** The contacts that a client sends. A null field counts as missing, and the result does not contain it. */
export const contactInfoSchema = z.array(contact).max(MAX_CONTACTS);

/** A type all of whose fields may be missing or null. */
type Nullable<T> = { readonly [K in keyof T]?: Nullable<T[K]> | null | undefined };

/** Removes nulls, and puts the fields into a fixed order, which the database does not keep. */
function normalized({ name, email, phone }: Nullable<Contact>): Contact {
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

/** Reads contacts that come from the database. */
export function storedContacts(stored: readonly unknown[] | null): Contact[] {
  return (stored ?? []).map((one) => normalized(one as Contact));
}

/** Returns the same text for the same contacts, regardless of their order and of the case of their e-mail addresses. */
export function contactKey(contacts: readonly Contact[]): string {
  const keys = contacts.map(({ email, ...rest }) => JSON.stringify([email?.toLowerCase() ?? null, rest]));
  return JSON.stringify(keys.sort());
}
