/** What the forms of feeds have in common, and in what a source and a destination differ. */
import type { InputOf } from '@longshore/client';
import type { ComponentType } from 'react';
import type { FieldProblems } from '../../components/field-problems.js';
import type { ConnectionValues, Kind } from './connection-values.js';
import type { ScheduleValues } from './schedule.js';
import type { Feed } from './use-feeds.js';

export type NewFeed = InputOf<'createFeed'>['body'];

/** What is tried with the connection: which files a source would take, or that a destination may write. */
export type Wanted = { readonly direction: 'DESTINATION' } | Pick<NewFeed, 'pick'>;

export interface FormValues {
  readonly name: string;
  readonly connection: ConnectionValues;
  /** Never what is stored. */
  readonly secret: string;
  readonly passphrase: string;
  /** The secret is a private key. */
  readonly isKey: boolean;
  readonly schedule: ScheduleValues;
  /** Empty: nobody is told. */
  readonly expectHours: string;
}

export interface FormFieldsProps<V> {
  readonly values: V;
  readonly wrong: FieldProblems;
  readonly onChange: (change: Partial<V>) => void;
}

export interface FormKind<V extends FormValues> {
  readonly direction: Feed['direction'];
  readonly kinds: readonly Kind[];
  readonly first: (timeZone: string) => V;
  readonly valuesOf: (feed: Feed, timeZone: string) => V;
  readonly bodyOf: (values: V, before: Feed | undefined) => NewFeed;
  /** What is tried with the connection. */
  readonly wanted: (values: V) => Wanted;
  readonly Fields: ComponentType<FormFieldsProps<V>>;
  /** What makes it run besides a schedule. */
  readonly Occasion?: ComponentType<FormFieldsProps<V>>;
}
