/** The page Endpoints: circuit breakers, backlogs and last errors. */
import type { Endpoint, EndpointList } from '../read/endpoints.js';
import { actionButton, type Forms } from './forms.js';
import { type Html, html } from './html.js';
import { ago, due, ownerLink, pill, table } from './layout.js';

interface EndpointsView {
  readonly now: Date;
  readonly list: EndpointList;
  /** The account that was asked for; undefined: endpoints that do not work, of all accounts. */
  readonly account: string | undefined;
  readonly forms: Forms;
}

export function endpointsPage({ now, list, account, forms }: EndpointsView): Html {
  const filter = account === undefined ? {} : { account };
  return html`<section><form class="search" action="/admin/endpoints" method="get">
<label>Account (id or name) <input name="account" value="${account}"></label><button>Show its endpoints</button>
${account !== undefined && html`<a href="/admin/endpoints">Show those that do not work, of all accounts</a>`}
</form></section>
<section><h2>${account === undefined ? 'Endpoints that do not work' : `Endpoints of ${account}`}</h2>
${endpointTable(list, now, account === undefined ? 'Every circuit breaker is closed.' : 'There is no such account, or it has no endpoint.', forms)}
${
  list.endpoints.length > 0 &&
  html`<div class="actions">${actionButton(forms, 'resume', filter, account === undefined ? 'Resume all that do not work' : 'Resume all of this account')}
${account !== undefined && actionButton(forms, 'replay', filter, 'Replay the failed deliveries of a day')}</div>`
}</section>`;
}

/** @param forms undefined: without actions */
export function endpointTable({ endpoints, more }: EndpointList, now: Date, empty: string, forms?: Forms): Html {
  return html`${table(
    'Endpoints',
    [
      'Endpoint',
      'Whose',
      'Circuit breaker',
      'Backlog',
      'Next attempt',
      'Last error',
      ...(forms === undefined ? [] : ['Actions']),
    ],
    endpoints.map((endpoint) => [
      html`${endpoint.host} <span class="id dim">${endpoint.id}</span>`,
      ownerLink(endpoint),
      breaker(endpoint),
      `${endpoint.backlog}${endpoint.backlogIsLowerBound ? ' or more' : ''}`,
      due(endpoint.nextAttemptAt, now),
      endpoint.lastError === null ? html`–` : html`${endpoint.lastError} (${ago(endpoint.lastErrorAt, now)})`,
      ...(forms === undefined ? [] : [buttons(endpoint, forms)]),
    ]),
    empty,
  )}${more && html`<p class="dim">There are more.</p>`}`;
}

function breaker({ status, disabledReason, breaker: state, failuresInARow }: Endpoint): Html {
  if (status === 'DISABLED') return html`${pill('disabled', 'bad')} ${disabledReason}`;
  if (state === 'CLOSED') return pill('closed', 'good');
  return html`${pill(state.toLowerCase().replace('_', ' '), state === 'PAUSED' ? 'plain' : 'bad')} ${failuresInARow} failures in a row`;
}

function buttons({ id, status }: Endpoint, forms: Forms): Html {
  if (status === 'DISABLED') return html`<span class="dim">its owner enables it</span>`;
  return html`${actionButton(forms, 'resume', { endpoint: id }, 'Resume', id)} ${actionButton(forms, 'replay', { endpoint: id }, 'Replay', id)}`;
}
