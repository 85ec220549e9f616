/** What an unknown member was probably meant to be: a known one, or one of an object beside it. */
import { z } from 'zod';
import { nearestName } from '../../domain/kernel/nearest-name.js';
import type { MemberNoun } from './input-issue.js';

interface Known {
  readonly name: string;
  readonly parent: string | null;
}

export function advice(key: string, shape: z.core.$ZodShape, noun: MemberNoun): string {
  const own = Object.keys(shape).map((name): Known => ({ name, parent: null }));
  const inner = Object.entries(shape).flatMap(([parent, child]) =>
    Object.keys(objectIn(child)?._zod.def.shape ?? {}).map((name): Known => ({ name, parent })),
  );
  const same = (known: Known) => known.name.toLowerCase() === key.toLowerCase();
  const nameOf = (known: Known) => known.name;
  const near = own.find(same) ?? inner.find(same) ?? nearestName(key, own, nameOf) ?? nearestName(key, inner, nameOf);
  if (near === undefined) {
    return own.length === 0 ? `this operation has no ${noun}s` : `the ${noun}s are ${own.map(nameOf).join(', ')}`;
  }
  if (near.parent === null) return `did you mean "${near.name}"?`;
  if (near.name === key) return `it belongs under "${near.parent}"`;
  return `did you mean "${near.name}" under "${near.parent}"?`;
}

/** The object that a schema accepts besides null and nothing. */
function objectIn(schema: z.core.$ZodType): z.core.$ZodObject | undefined {
  if (schema instanceof z.core.$ZodObject) return schema;
  const isWrapped =
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault;
  return isWrapped ? objectIn(schema._zod.def.innerType) : undefined;
}
