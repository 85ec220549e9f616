/** One webhook: how its endpoint is doing, what can be done about it, and the events that it was sent. */
import { Link, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Badge } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { useMay } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { Condition } from './condition.js';
import { DefinitionActions } from './definition-actions.js';
import { Events } from './events.js';
import { type Definition, toneOf, useStateText } from './health.js';
import { ReceiverLinks } from './receiver-links.js';
import { TestSend } from './test-send.js';
import { useWebhookText } from './texts.js';
import { useDefinition } from './use-definition.js';

const useText = textsOf('webhook-page', {
  edit: { en: 'Change', de: 'Ändern' },
  filter: { en: 'Filter', de: 'Filter' },
  replay: { en: 'Send several again', de: 'Mehrere erneut senden' },
  signature: { en: 'Check the signature', de: 'Signatur prüfen' },
});

export function WebhookPage() {
  const w = useWebhookText();
  const params = useParams({ from: '/$stage/webhooks/$webhookId' });
  const { data, error, refetch } = useDefinition(params.webhookId);
  const back = (
    <Link to="/$stage/webhooks" params={params}>
      {w('back')}
    </Link>
  );
  if (data === undefined) {
    return (
      <Page title={w('title')} above={back}>
        {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <Shown key={data.webhookId} definition={data} back={back} />;
}

function Shown({ definition, back }: { readonly definition: Definition; readonly back: React.ReactNode }) {
  const t = useText();
  const w = useWebhookText();
  const stateText = useStateText();
  const mayWrite = useMay('webhooks:write');
  const params = useParams({ from: '/$stage/webhooks/$webhookId' });
  const { webhookId, target, source, events, filter, status } = definition;
  const note = (
    <span className="job-note">
      <Badge tone={toneOf(definition)}>{stateText(definition)}</Badge>
      <span>
        {source} · <bdi>{events.includes('*') ? w('everyEvent') : events.join(', ')}</bdi>
        {filter === null ? '' : ` · ${w('filtered')}`}
      </span>
    </span>
  );
  return (
    <Page
      title={target}
      note={note}
      above={back}
      actions={mayWrite ? <DefinitionActions definition={definition} /> : null}
    >
      <Condition definition={definition} />
      <nav className="actions" aria-label={target}>
        {mayWrite && status === 'ACTIVE' ? (
          <ButtonLink icon="retry" to="/$stage/webhooks/$webhookId/replay" params={params}>
            {t('replay')}
          </ButtonLink>
        ) : null}
        <ButtonLink icon="filter" to="/$stage/webhooks/$webhookId/filter" params={params}>
          {t('filter')}
        </ButtonLink>
        <ButtonLink icon="key" to="/$stage/webhooks/$webhookId/signature" params={params}>
          {t('signature')}
        </ButtonLink>
        {mayWrite ? (
          <ButtonLink icon="edit" to="/$stage/webhooks/$webhookId/edit" params={params}>
            {t('edit')}
          </ButtonLink>
        ) : null}
      </nav>
      {mayWrite ? <TestSend webhookId={webhookId} /> : null}
      <Events webhookId={webhookId} />
      {mayWrite ? <ReceiverLinks webhookId={webhookId} /> : null}
    </Page>
  );
}
