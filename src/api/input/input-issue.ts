/** What the validator says of an input, and what we say of it. */
import type { z } from 'zod';

export type Issue = z.core.$ZodIssue;
export type RawIssue = z.core.$ZodRawIssue;
export type Path = readonly PropertyKey[];

/** What the members of the input are to the client. */
export type MemberNoun = 'field' | 'query parameter' | 'key' | 'parameter';
