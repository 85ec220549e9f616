/** Reads what the page Endpoints shows: those that fail, or those of an account. */
import { endpointsOf, sickEndpoints } from '../read/endpoints.js';
import { accountIdsOf, reading } from '../read/reading.js';
import { endpointsPage } from '../view/endpoints-page.js';
import type { Html } from '../view/html.js';
import type { Asking } from './request.js';

export async function showEndpoints({ db, request, now, forms }: Asking): Promise<Html> {
  const account = (request.query.get('account') ?? '').trim().slice(0, 200) || undefined;
  const list = await reading(db, async (trx) =>
    account === undefined ? sickEndpoints(trx) : endpointsOf(trx, await accountIdsOf(trx, account)),
  );
  return endpointsPage({ now, list, account, forms });
}
