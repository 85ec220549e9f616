/** Reads one element of a bulk attribute request, or one row of an attribute file. */
import type { RowProblem } from '../../ingest/row-problem.js';
import type {
  AttributeLocale,
  AttributeMapping,
  AttributeType,
  AttributeValidation,
  OptionsType,
  TextSubType,
} from '../attribute-definition.js';

/** INSERT and UPSERT are what files ask for: INSERT refuses a name that exists, UPSERT merges into it. */
export type AttributeAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'INSERT' | 'UPSERT';

/** The fields that were named. `undefined` or absent: not named; null: to be cleared. */
export interface AttributeDraft {
  type?: AttributeType | undefined;
  description?: string | null | undefined;
  textSubType?: TextSubType | null | undefined;
  optionsType?: OptionsType | null | undefined;
  options?: string[] | null | undefined;
  serialStart?: number | null | undefined;
  format?: string | null | undefined;
  locales?: AttributeLocale[] | null | undefined;
  validation?: { [K in keyof AttributeValidation]?: AttributeValidation[K] | null } | null | undefined;
}

export interface AttributeInput {
  action: AttributeAction;
  id?: string | undefined;
  name?: string | undefined;
  /** A role the element asks for besides; to be set like POST …/attribute/mapping does. */
  mapping?: AttributeMapping | undefined;
  draft: AttributeDraft;
}

/** An array is the list of what is wrong; `column` of each names the field (`validation.range.min`). */
export function parseAttributeInput(element: unknown, action?: AttributeAction): AttributeInput | RowProblem[] {
  throw new Error(`not parsed yet: ${String(element)} ${action}`);
}
