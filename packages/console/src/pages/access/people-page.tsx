/** The people of the account: who may do what, and the links by which they log in. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { useRoleName } from '../../session/role-names.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { InviteDialog } from './invite-dialog.js';
import { ChangeDialog, LinkDialog, RemoveDialog } from './person-dialogs.js';
import type { Person } from './roles.js';

const useText = textsOf('people', {
  title: { en: 'People', de: 'Personen' },
  note: {
    en: 'Who may use this account, and what for. Nobody has a password: each logs in by a link that is valid once.',
    de: 'Wer dieses Konto benutzen darf, und wofür. Niemand hat ein Passwort: Jeder meldet sich mit einem Link an, der einmal gilt.',
  },
  invite: { en: 'Invite somebody', de: 'Jemanden einladen' },
  emptyTitle: { en: 'You are alone here', de: 'Sie sind hier allein' },
  empty: {
    en: 'Invite those who work with the catalog. You choose what each may do, and get a link to pass on.',
    de: 'Laden Sie ein, wer mit dem Katalog arbeitet. Sie wählen, was jeder darf, und bekommen einen Link zum Weitergeben.',
  },
  name: { en: 'Name', de: 'Name' },
  role: { en: 'Role', de: 'Rolle' },
  state: { en: 'State', de: 'Zustand' },
  used: { en: 'Last seen', de: 'Zuletzt da' },
  never: { en: 'never', de: 'nie' },
  you: { en: 'you', de: 'Sie' },
  INVITED: { en: 'Invited until {time}', de: 'Eingeladen bis {time}' },
  EXPIRED: { en: 'The link has expired', de: 'Der Link ist abgelaufen' },
  ACCEPTED: { en: 'Has access', de: 'Hat Zugang' },
  provider: { en: 'Logs in with {host}', de: 'Meldet sich mit {host} an' },
  actions: { en: 'Actions', de: 'Aktionen' },
  link: { en: 'New link', de: 'Neuer Link' },
  change: { en: 'Change', de: 'Ändern' },
  remove: { en: 'Remove', de: 'Entfernen' },
  of: { en: '{action}: {name}', de: '{action}: {name}' },
});

const TONES = { INVITED: 'busy', EXPIRED: 'warn', ACCEPTED: 'good' } as const;

type Shown = { readonly what: 'link' | 'change' | 'remove'; readonly person: Person };

export function PeoplePage() {
  const t = useText();
  const api = useApi();
  const [isInviting, setInviting] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const { data, error, refetch } = useQuery({
    queryKey: ['people'],
    queryFn: async ({ signal }) => (await api.listPeople({}, { signal })).data,
  });
  const columns = useColumns(data ?? [], setShown);
  const close = () => {
    setShown(undefined);
    setInviting(false);
    void refetch();
  };
  const invite = (
    <Button kind="primary" icon="people" onPress={() => setInviting(true)}>
      {t('invite')}
    </Button>
  );
  return (
    <Page title={t('title')} note={t('note')} actions={data === undefined || data.length === 0 ? null : invite}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.length === 0 ? (
        <EmptyState title={t('emptyTitle')} icon="people" action={invite}>
          {t('empty')}
        </EmptyState>
      ) : (
        <DataTable caption={t('title')} columns={columns} rows={data} keyOf={({ id }) => id} />
      )}
      {isInviting ? <InviteDialog onClose={close} /> : null}
      {shown?.what === 'link' ? <LinkDialog person={shown.person} onClose={close} /> : null}
      {shown?.what === 'change' ? <ChangeDialog person={shown.person} onClose={close} /> : null}
      {shown?.what === 'remove' ? <RemoveDialog person={shown.person} onClose={close} /> : null}
    </Page>
  );
}

function useColumns(people: readonly Person[], show: (shown: Shown) => void): readonly Column<Person>[] {
  const t = useText();
  const role = useRoleName();
  const format = useFormat();
  const { session } = usePresent();
  const names = distinctNames(
    people,
    ({ name }) => name,
    (person) => role(person.role),
  );
  return [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: ({ id, name }) => (
        <span className="badges">
          <bdi>{name}</bdi>
          {id === session.tokenId ? <Badge tone="neutral">{t('you')}</Badge> : null}
        </span>
      ),
    },
    { id: 'role', title: t('role'), cell: (person) => role(person.role) },
    {
      id: 'state',
      title: t('state'),
      cell: ({ issuer, invitation: { state, expiresAt } }) => (
        <Badge tone={TONES[state]}>
          {issuer === null
            ? t(state, { time: expiresAt === null ? '–' : format.time(expiresAt) })
            : t('provider', { host: new URL(issuer).host })}
        </Badge>
      ),
    },
    {
      id: 'used',
      title: t('used'),
      isMinor: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('never') : format.ago(lastUsedAt)),
    },
    {
      id: 'actions',
      title: t('actions'),
      cell: (person) => (
        <span className="row-actions">
          {(['link', 'change', 'remove'] as const)
            // Nobody changes or removes themselves: the API refuses it.
            .filter((what) => what === 'link' || person.id !== session.tokenId)
            // What the identity provider says of a person is not changed here.
            .filter((what) => what === 'remove' || person.issuer === null)
            .map((what) => (
              <Button
                key={what}
                kind={what === 'remove' ? 'danger' : 'plain'}
                aria-label={t('of', { action: t(what), name: names.get(person) ?? person.name })}
                onPress={() => show({ what, person })}
              >
                {t(what)}
              </Button>
            ))}
        </span>
      ),
    },
  ];
}
