/** Takes back what a job has just written, where one is. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('undo-written', {
  undo: { en: 'Undo', de: 'Rückgängig machen' },
  undone: { en: 'It is as it was before', de: 'Es ist wieder wie vorher' },
  waits: {
    en: 'It stays as it is until somebody else has approved that it is undone',
    de: 'Es bleibt, wie es ist, bis jemand anderes die Rücknahme freigegeben hat',
  },
  partly: {
    en: '{count, plural, one {# item was changed again meanwhile and stays as it is now} other {# items were changed again meanwhile and stay as they are now}}',
    de: '{count, plural, one {# Artikel wurde inzwischen wieder geändert und bleibt, wie er jetzt ist} other {# Artikel wurden inzwischen wieder geändert und bleiben, wie sie jetzt sind}}',
  },
  partlyOther: {
    en: '{count, plural, one {# change stays, because it was changed again meanwhile or is used by now} other {# changes stay, because they were changed again meanwhile or are used by now}}',
    de: '{count, plural, one {# Änderung bleibt, weil inzwischen wieder daran geändert wurde oder etwas sie benutzt} other {# Änderungen bleiben, weil inzwischen wieder daran geändert wurde oder etwas sie benutzt}}',
  },
  why: { en: 'Show why', de: 'Zeigen, warum' },
});

interface UndoWrittenProps {
  readonly jobId: string;
  readonly onUndone: (skus: readonly string[]) => void;
  /** What was written are attributes or categories. */
  readonly isOfDefinitions?: boolean;
}

export function UndoWritten({ jobId, onUndone, isOfDefinitions = false }: UndoWrittenProps) {
  const t = useText();
  const api = useApi();
  const queries = useQueryClient();
  const { stage } = usePresent();
  const [state, setState] = useState<{
    isBusy?: boolean;
    kept?: number;
    undone?: string;
    waits?: boolean;
    error?: unknown;
  }>({});
  const undo = async () => {
    setState({ isBusy: true });
    try {
      const job = await api.revert(jobId);
      if (job.status === 'AWAITING_APPROVAL') {
        setState({ waits: true });
        return;
      }
      const skus: string[] = [];
      for await (const { sku } of api.jobChanges(job.id)) if (sku !== null) skus.push(sku);
      onUndone(skus);
      await queries.invalidateQueries({ queryKey: ['item'] });
      await queries.invalidateQueries({ queryKey: ['item-history'] });
      setState({ kept: job.progressTracker.errorCount, undone: job.id });
    } catch (error) {
      setState({ error });
    }
  };
  const { isBusy = false, kept, undone = '', waits = false, error } = state;
  if (waits) return <Notice tone="warn" title={t('waits')} />;
  if (kept !== undefined) {
    if (kept === 0) return <Notice tone="good" title={t('undone')} />;
    return (
      <Notice tone="warn" title={t(isOfDefinitions ? 'partlyOther' : 'partly', { count: kept })}>
        <p>
          <Link to="/$stage/imports/$jobId" params={{ stage: stage.name, jobId: undone }}>
            {t('why')}
          </Link>
        </p>
      </Notice>
    );
  }
  return (
    <>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button icon="undo" isPending={isBusy} isDisabled={isBusy} onPress={() => void undo()}>
          {t('undo')}
        </Button>
      </div>
    </>
  );
}
