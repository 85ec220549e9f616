/** Saves a feed, which is new or changed, and opens its page. */
import { useNavigate } from '@tanstack/react-router';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import type { Typed } from '../../typed/use-typed.js';
import type { NewFeed } from './form-kind.js';
import { type Feed, useRefreshFeeds } from './use-feeds.js';

const useText = textsOf('feed-save', {
  saved: { en: 'The feed is saved', de: 'Der Feed ist gespeichert' },
  changed: { en: 'The feed is changed', de: 'Der Feed ist geändert' },
});

/** @param feed what is changed; undefined: a new one @param typed whose basis is the version that was changed */
export function useSaveFeed(feed: Feed | undefined, typed: Pick<Typed<object>, 'basis' | 'forget'>) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const refresh = useRefreshFeeds();
  const navigate = useNavigate();
  const { attempt, error, isBusy } = useAttempt();
  const write = async (body: NewFeed): Promise<string> => {
    if (feed === undefined) return (await api.createFeed({ body })).id;
    const { direction: _, ...change } = body;
    await api.updateFeed({ feedId: feed.id, body: { ...change, version: Number(typed.basis) } });
    return feed.id;
  };
  const save = (body: NewFeed) =>
    attempt(async () => {
      const feedId = await write(body);
      typed.forget();
      await refresh();
      tell({ tone: 'good', title: t(feed === undefined ? 'saved' : 'changed') });
      await navigate({ to: '/$stage/feeds/$feedId', params: { stage: stage.name, feedId } });
    });
  return { save, error, isBusy };
}
