/** Whether the file of an export is found at a published address. */
import { Link } from '@tanstack/react-router';
import { ChoiceInput } from '../../components/choice-input.js';
import { Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import type { ExportForm } from './start-export.js';
import { usePublished } from './use-published.js';

const useText = textsOf('publish-choice', {
  title: { en: 'Publish', de: 'Veröffentlichen' },
  note: {
    en: 'At a published address others fetch the file by themselves. It replaces what is found there, when it is written.',
    de: 'Unter einer veröffentlichten Adresse holen andere die Datei selbst ab. Sie ersetzt, was dort liegt, sobald sie geschrieben ist.',
  },
  publish: { en: 'Publish as', de: 'Veröffentlichen als' },
  not: { en: 'Do not publish it', de: 'Nicht veröffentlichen' },
  manage: { en: 'Addresses', de: 'Adressen' },
});

interface PublishChoiceProps {
  readonly form: ExportForm;
  readonly onChange: (form: ExportForm) => void;
}

export function PublishChoice({ form, onChange }: PublishChoiceProps) {
  const t = useText();
  const { stage } = usePresent();
  const { data, error, refetch } = usePublished();
  const names = data?.data.map(({ name }) => name) ?? [];
  const { publishAs, ...others } = form;
  // The API says that one is not there any more.
  const shown = publishAs === undefined || names.includes(publishAs) ? names : [publishAs, ...names];
  return (
    <Section title={t('title')} note={t('note')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      <div className="filters">
        <ChoiceInput
          label={t('publish')}
          value={publishAs === undefined ? '' : `=${publishAs}`}
          choices={[{ id: '', label: t('not') }, ...shown.map((name) => ({ id: `=${name}`, label: name }))]}
          onChange={(chosen) => onChange(chosen === '' ? others : { ...others, publishAs: chosen.slice(1) })}
        />
        <Link to="/$stage/exports/published" params={{ stage: stage.name }}>
          {t('manage')}
        </Link>
      </div>
    </Section>
  );
}
