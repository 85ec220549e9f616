/** The check of the signature, for the owner of a webhook. */
import { Link, useParams } from '@tanstack/react-router';
import { Page } from '../../components/page.js';
import { SignatureHelp } from './signature-help.js';
import { useSignatureText, useWebhookText } from './texts.js';
import { useDefinition } from './use-definition.js';

export function SignaturePage() {
  const t = useSignatureText();
  const w = useWebhookText();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/signature' });
  const { data: definition } = useDefinition(params.webhookId);
  const back = (
    <Link to="/$stage/webhooks/$webhookId" params={params}>
      <bdi>{definition?.target ?? w('back')}</bdi>
    </Link>
  );
  return (
    <Page title={t('title')} note={t('note')} above={back}>
      <SignatureHelp />
    </Page>
  );
}
