/** Counts the items that are meant, when somebody asks for it: the number grows until all are counted. */
import type { SiteContext, schemas } from '@longshore/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../session/session-context.js';
import { type ItemFilter, matchOf } from './item-search.js';

export interface Count {
  readonly number: number | undefined;
  readonly isCounting: boolean;
  readonly error: unknown;
  readonly begin: () => void;
}

interface State {
  readonly key: string;
  readonly number?: number;
  readonly isCounting: boolean;
  readonly error?: unknown;
}

/** @param site the part of the stage that is counted; none: all of it */
export function useCount(filter: ItemFilter, site: Pick<Partial<SiteContext>, 'channel' | 'date'> = {}): Count {
  const api = useApi();
  const { q, sku } = filter;
  const body = { match: matchOf(filter), ...(q === undefined ? {} : { q }), ...(sku && { skuPrefix: sku }) };
  const key = JSON.stringify([body, site]);
  const [state, setState] = useState<State>({ key, isCounting: false });
  const stop = useRef<AbortController>(undefined);
  // Another filter has another number.
  useEffect(() => {
    if (key !== '') return () => stop.current?.abort();
    return undefined;
  }, [key]);
  const begin = useCallback(() => {
    stop.current?.abort();
    const counting = new AbortController();
    stop.current = counting;
    const { signal } = counting;
    const count = async () => {
      let number = 0;
      setState({ key, number, isCounting: true });
      for (let next: schemas.ItemSearchNext = {}; next !== null; ) {
        const [what, within] = JSON.parse(key) as [schemas.CountItemsRequest, Partial<SiteContext>];
        const answer: schemas.ItemCount = await api.countItems(
          { body: { ...what, ...next } },
          { signal, site: within },
        );
        number += answer.count;
        next = answer.next;
        setState({ key, number, isCounting: next !== null });
      }
    };
    count().catch((error: unknown) => signal.aborted || setState({ key, isCounting: false, error }));
  }, [api, key]);
  const isPresent = state.key === key;
  return {
    number: isPresent ? state.number : undefined,
    isCounting: isPresent && state.isCounting,
    error: isPresent ? state.error : undefined,
    begin,
  };
}
