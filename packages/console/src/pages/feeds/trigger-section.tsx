/** The address by which others have a feed run: it is made, shown, copied, replaced and ended here. */
import { LongshoreError } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Section } from '../../components/content.js';
import { CopyButton } from '../../components/copied.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Feed } from './use-feeds.js';

const useText = textsOf('feed-trigger', {
  title: { en: 'Have it run by a call', de: 'Durch einen Aufruf laufen lassen' },
  note: {
    en: 'A storage or an ERP that calls this address by POST has the feed run at once. It needs no token: treat the address as a secret.',
    de: 'Ruft ein Speicher oder ein ERP diese Adresse mit POST auf, läuft der Feed sofort. Ein Token braucht es nicht: Behandeln Sie die Adresse wie ein Geheimnis.',
  },
  none: { en: 'It has no such address.', de: 'Er hat keine solche Adresse.' },
  lost: {
    en: 'The address works, but cannot be shown any more: its key is lost. A new one can be shown.',
    de: 'Die Adresse gilt weiter, kann aber nicht mehr angezeigt werden: Ihr Schlüssel ist verloren. Eine neue wird angezeigt.',
  },
  make: { en: 'Make an address', de: 'Adresse anlegen' },
  made: { en: 'Made {when}', de: 'Angelegt {when}' },
  what: { en: 'address that has {name} run', de: 'Adresse, die {name} laufen lässt' },
  renew: { en: 'New address', de: 'Neue Adresse' },
  end: { en: 'End this address', de: 'Adresse beenden' },
  sure: {
    en: 'Whatever calls the present address has the feed run no more',
    de: 'Wer die jetzige Adresse aufruft, lässt den Feed nicht mehr laufen',
  },
  sureRenew: { en: 'Yes, make another address', de: 'Ja, andere Adresse anlegen' },
  sureEnd: { en: 'Yes, end it', de: 'Ja, beenden' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

type Asking = 'renew' | 'end';

export function TriggerSection({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const { stage } = usePresent();
  const queries = useQueryClient();
  const mayWrite = useMay('feeds:write');
  const [asking, setAsking] = useState<Asking>();
  const { attempt, error: failure, isBusy } = useAttempt();
  const { id: feedId, name } = feed;
  const queryKey = ['feed-trigger', stage.name, feedId];
  const { data, error, refetch } = useQuery({
    queryKey,
    // null: it has none.
    queryFn: ({ signal }) =>
      api.getFeedTrigger({ feedId }, { signal }).catch((refusal: unknown) => {
        if (refusal instanceof LongshoreError && refusal.status === 404) return null;
        throw refusal;
      }),
  });
  const act = (what: Asking) =>
    attempt(async () => {
      if (what === 'renew') queries.setQueryData(queryKey, await api.renewFeedTrigger({ feedId }));
      else {
        await api.deleteFeedTrigger({ feedId });
        queries.setQueryData(queryKey, null);
      }
      setAsking(undefined);
    });
  if (data === null && !mayWrite) return null;
  return (
    <Section title={t('title')} note={t('note')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {failure === undefined ? null : <ErrorPanel error={failure} />}
      {data === undefined ? null : data === null ? (
        <>
          <p className="note">{t('none')}</p>
          <div className="actions">
            <Button isPending={isBusy} onPress={() => void act('renew')}>
              {t('make')}
            </Button>
          </div>
        </>
      ) : (
        <>
          {data.url === null ? (
            <p className="note">{t('lost')}</p>
          ) : (
            <div className="one-time">
              <code className="one-time-text">{data.url}</code>
              <CopyButton text={data.url} what={t('what', { name })} />
            </div>
          )}
          <p className="small">{t('made', { when: format.time(data.createdAt) })}</p>
          {mayWrite ? (
            <div className="actions">
              <Button onPress={() => setAsking('renew')}>{t('renew')}</Button>
              <Button kind="danger" onPress={() => setAsking('end')}>
                {t('end')}
              </Button>
            </div>
          ) : null}
          {asking === undefined ? null : (
            <Notice tone="warn" title={t('sure')}>
              <div className="actions">
                <Button kind="danger" isPending={isBusy} onPress={() => void act(asking)}>
                  {t(asking === 'renew' ? 'sureRenew' : 'sureEnd')}
                </Button>
                <Button onPress={() => setAsking(undefined)}>{t('cancel')}</Button>
              </div>
            </Notice>
          )}
        </>
      )}
    </Section>
  );
}
