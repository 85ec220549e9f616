/** The requests of loaded deliveries: whose secrets sign them, and where they go. */
import type { Db } from '../../../../db/connection.js';
import { callbackSecrets } from '../../access/callback-secret.js';
import { type OpenSecrets, openSecrets } from '../definitions/definition-secrets.js';
import type { LoadedDefinition, LoadedDelivery } from './load-deliveries.js';
import { callbackRequest, contentOf, targetRequest } from './make-request.js';
import type { WebhookRequest } from './webhook-sender.js';

/** Makes the request of a delivery, signed at a time. @throws UnsealError; what the database throws */
export type RequestMaker = (delivery: LoadedDelivery, at: Date) => WebhookRequest | Promise<WebhookRequest>;

export function createRequestMaker(db: Db, secretsKeys: readonly string[]): RequestMaker {
  /** Of definitions that were loaded together: opening their secrets takes as long as sending. */
  const opened = new WeakMap<LoadedDefinition, OpenSecrets>();

  function secretsOf(definition: LoadedDefinition, at: Date): OpenSecrets {
    const known = opened.get(definition);
    if (known !== undefined) return known;
    const secrets = openSecrets(secretsKeys, definition, at);
    opened.set(definition, secrets);
    return secrets;
  }

  async function signedByAccount(delivery: LoadedDelivery, callbackUrl: string, at: Date): Promise<WebhookRequest> {
    const secrets = await callbackSecrets(db, secretsKeys, delivery.event.account_id, at);
    return callbackRequest(callbackUrl, secrets, contentOf(delivery), at);
  }

  return (delivery, at) => {
    const { definition, callbackUrl } = delivery;
    if (definition === null) {
      if (callbackUrl === null) throw new Error(`delivery ${delivery.id} leads nowhere`);
      return signedByAccount(delivery, callbackUrl, at);
    }
    const secrets = secretsOf(definition, at);
    const content = contentOf(delivery);
    if (callbackUrl !== null) return callbackRequest(callbackUrl, secrets.signing, content, at);
    return targetRequest(definition, secrets, content, at);
  };
}
