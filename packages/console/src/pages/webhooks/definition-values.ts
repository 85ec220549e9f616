/** What the form of a definition holds, as texts, and what of it the API is sent. */
import type { AnswerOf, InputOf } from '@longshore/client';

export type Definition = AnswerOf<'getWebhook'>;
type NewDefinition = InputOf<'createWebhook'>['body'];
type Source = NewDefinition['source'];

export interface DefinitionValues {
  readonly target: string;
  readonly source: string;
  readonly events: readonly string[];
  /** Names of events that no list has, separated by commas or spaces. */
  readonly ownEvents: string;
  readonly isOrdered: boolean;
  readonly rateLimit: string;
  readonly targetApiKey: string;
  readonly callbackUrl: string;
  readonly collectHours: string;
}

export const NEW_VALUES: DefinitionValues = {
  target: '',
  source: 'CATALOG',
  events: ['ITEM_CREATED', 'ITEM_UPDATED', 'ITEM_DELETED'],
  ownEvents: '',
  isOrdered: false,
  rateLimit: '',
  targetApiKey: '',
  callbackUrl: '',
  collectHours: '72',
};

/** What is not kept in the browser. */
export const SECRETS = ['targetApiKey'] as const;

/** @param known the names that the form lists for the source of the definition */
export function valuesOf(definition: Definition, known: readonly string[]): DefinitionValues {
  const { target, source, events, ordering, rateLimit, targetApiKey, callbackUrl, collectHours } = definition;
  return {
    ...{ target, source, isOrdered: ordering === 'key' },
    events: events.filter((name) => name === '*' || known.includes(name)),
    ownEvents: events.filter((name) => name !== '*' && !known.includes(name)).join(', '),
    rateLimit: rateLimit === null ? '' : String(rateLimit),
    targetApiKey: targetApiKey ?? '',
    callbackUrl: callbackUrl ?? '',
    collectHours: String(collectHours),
  };
}

/** The body of the request that creates or changes a definition. What is wrong with it, the API says. */
export function bodyOf(values: DefinitionValues) {
  const { target, source, events, ownEvents, isOrdered, rateLimit, targetApiKey, callbackUrl, collectHours } = values;
  const named = ownEvents.split(/[\s,]+/).filter((name) => name !== '');
  return {
    target: target.trim(),
    protocol: /^https:/i.test(target.trim()) ? ('HTTPS' as const) : ('HTTP' as const),
    source: source.trim() as Source,
    events: [...new Set([...events, ...named])],
    ordering: isOrdered ? ('key' as const) : ('none' as const),
    rateLimit: rateLimit.trim() === '' ? null : numberOf(rateLimit),
    targetApiKey: targetApiKey.trim() === '' ? null : targetApiKey,
    callbackUrl: callbackUrl.trim() === '' ? null : callbackUrl.trim(),
    ...(collectHours.trim() === '' ? {} : { collectHours: numberOf(collectHours) }),
  };
}

/** What is no number is sent as it is: the API says so, and where. */
function numberOf(text: string): number {
  const value = Number(text);
  return Number.isNaN(value) ? (text as unknown as number) : value;
}
