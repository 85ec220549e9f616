/** Links for the partner who receives the deliveries of a webhook: made here, shown once, and revoked. */
import type { schemas } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Badge, Notice, Section } from '../../components/content.js';
import { OneTimeText } from '../../components/copied.js';
import { Dialog } from '../../components/dialog.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { SwitchInput } from '../../components/switch-input.js';
import { type Column, DataTable } from '../../components/table.js';
import { TextInput } from '../../components/text-input.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { useWebhookText } from './texts.js';

const DAYS = ['1', '7', '14', '30'] as const;
const NEW_LINK = { name: '', days: '7' as (typeof DAYS)[number], replay: false };

const useText = textsOf('receiver-links', {
  title: { en: 'Links for the receiver', de: 'Links für den Empfänger' },
  note: {
    en: 'Whoever receives these events sees them by a link, with each attempt, without an account and without anything else of yours.',
    de: 'Wer diese Ereignisse empfängt, sieht sie über einen Link, mit jedem Versuch, ohne Konto und ohne sonst etwas von Ihnen.',
  },
  make: { en: 'Make a link', de: 'Link erzeugen' },
  name: { en: 'Who gets it', de: 'Wer bekommt ihn' },
  days: { en: 'Valid for', de: 'Gültig für' },
  day: { en: '{count, plural, one {# day} other {# days}}', de: '{count, plural, one {# Tag} other {# Tage}}' },
  replay: { en: 'May have events sent again', de: 'Darf Ereignisse erneut senden lassen' },
  reads: { en: 'read', de: 'lesen' },
  replays: { en: 'read, send again', de: 'lesen, erneut senden' },
  may: { en: 'May', de: 'Darf' },
  until: { en: 'Until', de: 'Bis' },
  state: { en: 'State', de: 'Zustand' },
  waiting: { en: 'Not opened yet', de: 'Noch nicht geöffnet' },
  opened: { en: 'Opened {time}', de: 'Geöffnet {time}' },
  actions: { en: 'Actions', de: 'Aktionen' },
  revoke: { en: 'Revoke', de: 'Widerrufen' },
  revokeOf: { en: 'Revoke the link of {name}', de: 'Link von {name} widerrufen' },
  revoked: { en: 'The link is revoked', de: 'Der Link ist widerrufen' },
  ready: { en: 'Give this link to {name}', de: 'Geben Sie diesen Link an {name}' },
  once: {
    en: 'It opens once, and shows the events until {time}. It is shown only now.',
    de: 'Er öffnet sich einmal und zeigt die Ereignisse bis {time}. Er wird nur jetzt gezeigt.',
  },
  link: { en: 'Link', de: 'Link' },
  done: { en: 'Done', de: 'Fertig' },
});

export function ReceiverLinks({ webhookId }: { readonly webhookId: string }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const [isMaking, setMaking] = useState(false);
  const { attempt, error: failure, isBusy } = useAttempt();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', stage.name, webhookId, 'links'],
    queryFn: async ({ signal }) => (await api.listReceiverLinks({ webhookId }, { signal })).data,
  });
  const revoke = (linkId: string) =>
    attempt(async () => {
      try {
        await api.revokeReceiverLink({ webhookId, linkId });
        tell({ tone: 'good', title: t('revoked') });
      } finally {
        await refetch();
      }
    });
  const columns = useColumns(data ?? [], isBusy, (id) => void revoke(id));
  const close = () => {
    setMaking(false);
    void refetch();
  };
  const wrong = failure ?? error;
  return (
    <Section
      title={t('title')}
      note={t('note')}
      actions={
        <Button icon="people" onPress={() => setMaking(true)}>
          {t('make')}
        </Button>
      }
    >
      {wrong === null || wrong === undefined ? null : <ErrorPanel error={wrong} onRetry={() => void refetch()} />}
      {data === undefined || data.length === 0 ? null : (
        <DataTable caption={t('title')} columns={columns} rows={data} keyOf={({ id }) => id} />
      )}
      {isMaking ? <LinkDialog webhookId={webhookId} onClose={close} /> : null}
    </Section>
  );
}

function useColumns(
  links: readonly schemas.ReceiverLink[],
  isBusy: boolean,
  revoke: (id: string) => void,
): readonly Column<schemas.ReceiverLink>[] {
  const t = useText();
  const format = useFormat();
  const names = distinctNames(
    links,
    ({ name }) => name,
    ({ expiresAt }) => format.time(expiresAt),
  );
  return [
    { id: 'name', title: t('name'), isHeader: true, cell: ({ name }) => <bdi>{name}</bdi> },
    { id: 'may', title: t('may'), cell: ({ replay }) => t(replay ? 'replays' : 'reads') },
    { id: 'until', title: t('until'), cell: ({ expiresAt }) => format.time(expiresAt) },
    {
      id: 'state',
      title: t('state'),
      cell: ({ openedAt }) => (
        <Badge tone={openedAt === null ? 'busy' : 'good'}>
          {openedAt === null ? t('waiting') : t('opened', { time: format.ago(openedAt) })}
        </Badge>
      ),
    },
    {
      id: 'actions',
      title: t('actions'),
      cell: (link) => (
        <Button
          kind="danger"
          isPending={isBusy}
          aria-label={t('revokeOf', { name: names.get(link) ?? link.name })}
          onPress={() => revoke(link.id)}
        >
          {t('revoke')}
        </Button>
      ),
    },
  ];
}

function LinkDialog({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const format = useFormat();
  const typed = useTyped(`receiver-link.${webhookId}`, NEW_LINK);
  const { name, days, replay } = typed.values;
  const [made, setMade] = useState<schemas.ReceiverLinkWithAddress>();
  const { attempt, error, isBusy } = useAttempt();
  const make = () =>
    attempt(async () => {
      const body = { name: name.trim(), replay, hours: Number(days) * 24 };
      setMade(await api.createReceiverLink({ webhookId, body }));
      typed.forget();
    });
  if (made !== undefined) {
    return (
      <Dialog title={t('make')} isOpen>
        <Notice tone="warn" title={t('ready', { name: made.name })}>
          <p>{t('once', { time: format.time(made.expiresAt) })}</p>
        </Notice>
        <OneTimeText text={made.link} what={t('link')} />
        <div className="actions">
          <Button onPress={onClose}>{t('done')}</Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t('make')} isOpen onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <TypedNote typed={typed} />
        <TextInput label={t('name')} value={name} onChange={(next) => typed.set({ name: next })} isRequired autoFocus />
        <ChoiceInput
          label={t('days')}
          value={days}
          choices={DAYS.map((id) => ({ id, label: t('day', { count: Number(id) }) }))}
          onChange={(next) => typed.set({ days: next })}
        />
        <SwitchInput label={t('replay')} isOn={replay} onChange={(isOn) => typed.set({ replay: isOn })} />
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button type="submit" kind="primary" isPending={isBusy}>
            {t('make')}
          </Button>
          <Button onPress={typed.forgetAnd(onClose)}>{w('cancel')}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
