/** A profile that is edited, and saving it, unless somebody else was faster. */
import { LongshoreError, type schemas } from '@longshore/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../components/toasts.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useKept } from '../../typed/use-kept.js';
import { cleaned, type Document, type Draft, isSame } from './draft.js';

const useText = textsOf('profile-draft', {
  saved: { en: '“{name}” is saved as version {version}', de: '„{name}“ ist als Version {version} gespeichert' },
});

/** What is edited stays when the page is loaded again. */
export function useDraft(stored: schemas.ImportProfile) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const queries = useQueryClient();
  const read: Draft = { version: stored.version, document: stored.profile as Document };
  const [kept, setKept] = useKept<Draft | null>(`profile.${stored.name}`, null);
  const [newest, setNewest] = useState<schemas.ImportProfile>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const draft = kept ?? read;
  const isChanged = kept !== null && !isSame(cleaned(kept.document), read.document);
  const show = (saved: schemas.ImportProfile) => {
    setNewest(undefined);
    setKept(null);
    queries.setQueryData(['profiles', stage.name, 'one', stored.name], saved);
  };
  const write = async (version: number) => {
    setBusy(true);
    setError(undefined);
    try {
      const body = { profile: cleaned(draft.document), version };
      const saved = await api.updateImportProfile({ name: stored.name, body });
      show(saved);
      void queries.invalidateQueries({ queryKey: ['profiles', stage.name, 'all'] });
      void queries.invalidateQueries({ queryKey: ['profiles', stage.name], exact: true });
      tell({ tone: 'good', title: t('saved', { name: saved.name, version: saved.version }) });
    } catch (failure) {
      const isLate = failure instanceof LongshoreError && failure.code === 'PROFILE_CHANGED';
      if (isLate) setNewest(await api.getImportProfile({ name: stored.name }).catch(() => undefined));
      else setError(failure);
    }
    setBusy(false);
  };
  return {
    draft,
    edit: (document: Document) => setKept({ version: draft.version, document }),
    isChanged,
    newest,
    error,
    isBusy,
    save: () => void write(draft.version),
    discard: () => {
      setKept(null);
      setError(undefined);
    },
    take: () => newest !== undefined && show(newest),
    keep: () => newest !== undefined && void write(newest.version),
  };
}
