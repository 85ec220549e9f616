/** Whether a file is the whole truth, in the form of a feed: within which scope, and what becomes of what it lacks. */

export const SCOPES = ['none', 'feed', 'stage', 'category', 'attribute'] as const;
export const BRAKES = ['stop', 'approve'] as const;
export const WAYS = ['delete', 'set', 'clear'] as const;

export interface SnapshotValues {
  /** `none`: what a file lacks stays. `other`: as it was saved, in a form that the page does not have. */
  readonly scope: (typeof SCOPES)[number] | 'other';
  readonly category: string;
  readonly attribute: string;
  readonly value: string;
  readonly missing: (typeof WAYS)[number];
  readonly setAttribute: string;
  readonly setValue: string;
  /** Names, separated by commas. */
  readonly cleared: string;
  readonly maxPercent: string;
  readonly maxMissing: string;
  readonly minRows: string;
  readonly onBrake: (typeof BRAKES)[number];
}

export const NO_SNAPSHOT: SnapshotValues = {
  ...{ scope: 'none', category: '', attribute: '', value: '', missing: 'delete', setAttribute: '', setValue: '' },
  ...{ cleared: '', maxPercent: '5', maxMissing: '', minRows: '', onBrake: 'stop' },
};

type Members = Readonly<Record<string, unknown>>;

export function snapshotValuesOf(snapshot: unknown): SnapshotValues {
  if (snapshot === undefined || snapshot === null) return NO_SNAPSHOT;
  const { scope, missing, maxMissingPercent: percent, maxMissing, minRows, onBrake } = snapshot as Members;
  const [within, way] = [Object(scope) as Members, Object(missing) as Members];
  const known = scopeOf(scope);
  const { attribute: setAttribute, value: setValue } = Object(way.set) as Members;
  const isKnownWay =
    missing === 'delete' || (way.set !== undefined && !Array.isArray(setValue)) || way.clear !== undefined;
  return {
    scope: isKnownWay ? known : 'other',
    ...{ category: String(within.category ?? ''), attribute: String(within.attribute ?? '') },
    ...{
      value: String(within.value ?? ''),
      missing: way.set !== undefined ? 'set' : way.clear !== undefined ? 'clear' : 'delete',
    },
    ...{ setAttribute: String(setAttribute ?? ''), setValue: String(setValue ?? '') },
    cleared: Array.isArray(way.clear) ? way.clear.join(', ') : '',
    maxPercent: percent === undefined ? '5' : String(percent),
    maxMissing: maxMissing === undefined ? '' : String(maxMissing),
    minRows: minRows === undefined ? '' : String(minRows),
    onBrake: onBrake === 'approve' ? onBrake : 'stop',
  };
}

function scopeOf(scope: unknown): SnapshotValues['scope'] {
  if (scope === 'stage' || scope === 'feed') return scope;
  const { category, attribute } = Object(scope) as Members;
  return category !== undefined ? 'category' : attribute !== undefined ? 'attribute' : 'other';
}

/** @param former as it is saved. @returns undefined: what a file lacks stays */
export function snapshotOf(values: SnapshotValues, former: unknown): Members | undefined {
  const { scope, category, attribute, value, maxPercent, maxMissing, minRows, onBrake } = values;
  if (scope === 'none') return undefined;
  if (scope === 'other') return former as Members;
  const within = {
    stage: 'stage',
    feed: 'feed',
    category: { category: category.trim() },
    attribute: { attribute, value },
  };
  return {
    scope: within[scope],
    missing: missingOf(values),
    maxMissingPercent: numberOf(maxPercent),
    ...(maxMissing.trim() === '' ? {} : { maxMissing: numberOf(maxMissing) }),
    ...(minRows.trim() === '' ? {} : { minRows: numberOf(minRows) }),
    ...(onBrake === 'stop' ? {} : { onBrake }),
  };
}

function missingOf({ missing, setAttribute, setValue, cleared }: SnapshotValues): unknown {
  if (missing === 'delete') return missing;
  if (missing === 'set') return { set: { attribute: setAttribute, value: setValue } };
  const names = cleared.split(',').map((name) => name.trim());
  return { clear: names.filter((name) => name !== '') };
}

/** What is no number is sent as it is: the API says so, and where. */
function numberOf(text: string): unknown {
  const value = Number(text.trim().replace(',', '.'));
  return Number.isNaN(value) ? text : value;
}
