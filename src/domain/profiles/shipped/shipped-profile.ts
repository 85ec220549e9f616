/** What a profile that comes with Longshore is. Each has one file here, and a line in the registry. */
import type { ColumnRule } from '../model/column-rule.js';
import type { Profile } from '../model/profile.js';

/** A rule in which what has a default may be left out. */
export type GivenRule = Pick<ColumnRule, 'to'> & Partial<Omit<ColumnRule, 'to'>>;

export interface ShippedProfile {
  readonly name: string;
  /** What files it reads, for people who choose one. */
  readonly description: string;
  readonly profile: Pick<Profile, 'fileType' | 'format' | 'unknownColumns'> &
    Partial<Pick<Profile, 'skipRowsWhen' | 'continuationRows'>> & { readonly columns: readonly GivenRule[] };
}

/** Defines a profile that comes with Longshore. */
export function defineShippedProfile(definition: ShippedProfile): ShippedProfile {
  return definition;
}
