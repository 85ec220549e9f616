/** Saves a new feed, and opens its page. */
import type { InputOf } from '@longshore/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tell } from '../../components/toasts.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useRefreshFeeds } from './use-feeds.js';

const useText = textsOf('feed-create', {
  saved: { en: 'The feed is saved', de: 'Der Feed ist gespeichert' },
});

export function useCreateFeed() {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const refresh = useRefreshFeeds();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const create = async (body: InputOf<'createFeed'>['body']) => {
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await api.createFeed({ body });
      await refresh();
      tell({ tone: 'good', title: t('saved') });
      await navigate({ to: '/$stage/feeds/$feedId', params: { stage: stage.name, feedId: id } });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return { create, error, isBusy };
}
