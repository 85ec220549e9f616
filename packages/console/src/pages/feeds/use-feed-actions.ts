/** What one does with a feed at any time: run it now, pause it, let it go on, have it take a file again. */
import { useState } from 'react';
import { tell } from '../../components/toasts.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { type Feed, useRefreshFeeds } from './use-feeds.js';

const useText = textsOf('feed-actions', {
  again: { en: '{name} takes the file again', de: '{name} nimmt die Datei noch einmal' },
  begun: { en: '{name} runs now', de: '{name} läuft jetzt' },
  paused: { en: '{name} is paused', de: '{name} ist pausiert' },
  resumed: { en: '{name} goes on by its schedule', de: '{name} läuft wieder nach seinem Zeitplan' },
});

type Act = 'run' | 'pause' | 'resume' | { readonly takeAgain: string };

const TOLD = { run: 'begun', pause: 'paused', resume: 'resumed' } as const;

export function useFeedActions() {
  const t = useText();
  const api = useApi();
  const refresh = useRefreshFeeds();
  const [error, setError] = useState<unknown>();
  /** The feed that is acted on. */
  const [busy, setBusy] = useState<string>();
  const act = async ({ id: feedId, name }: Feed, what: Act) => {
    setBusy(feedId);
    setError(undefined);
    try {
      if (typeof what === 'object') await api.takeFeedFileAgain({ feedId, body: { name: what.takeAgain } });
      else if (what === 'run') await api.runFeed({ feedId });
      else await api.updateFeed({ feedId, body: { state: what === 'pause' ? 'PAUSED' : 'ACTIVE' } });
      tell({ tone: 'good', title: t(typeof what === 'object' ? 'again' : TOLD[what], { name }) });
    } catch (failure) {
      setError(failure);
    }
    await refresh();
    setBusy(undefined);
  };
  return { act, error, busy };
}
