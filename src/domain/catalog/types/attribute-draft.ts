/** The fields of an attribute as they are given, before the attribute's type has checked them. */
import type { AttributeLocale, AttributeTypeName, OptionsType, TextSubType } from '../model/attribute-definition.js';

/** A value inside a definition as it was given; the attribute's type decides what is valid. */
export type GivenValue = string | number;

type Clearable<T> = { [K in keyof T]?: T[K] | null | undefined };

interface GivenValidation {
  required: boolean;
  unique: boolean;
  inheritable: boolean;
  contains: string;
  startWith: string;
  incrementBy: number;
  range: Clearable<{ min: GivenValue; max: GivenValue }>;
  oneOf: GivenValue[];
  pattern: string;
  maxLength: number;
}

interface GivenFields {
  description: string;
  textSubType: TextSubType;
  optionsType: OptionsType;
  options: GivenValue[];
  serialStart: number;
  format: string;
  locales: AttributeLocale[];
}

export type ValidationDraft = Clearable<GivenValidation>;

/** The fields that an input names. An absent or undefined field is not named; null clears the field. */
export interface AttributeDraft extends Clearable<GivenFields> {
  type?: AttributeTypeName | undefined;
  validation?: ValidationDraft | null | undefined;
}
