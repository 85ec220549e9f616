/** What files a profile reads that comes with Longshore, in the language that is shown. */
import { textsOf } from '../../texts/texts.js';

/** By the names of the profiles; in English as the API says it. */
const useText = textsOf('shipped-profiles', {
  akeneo: {
    en: 'The products of a CSV of Akeneo PIM, with German texts of the channel ecommerce. The family is the category',
    de: 'Die Produkte einer CSV-Datei von Akeneo PIM, mit deutschen Texten des Kanals ecommerce. Die Familie ist die Kategorie',
  },
  'akeneo-models': {
    en: 'The product models of a CSV of Akeneo PIM. Import them before their products: akeneo',
    de: 'Die Produktmodelle einer CSV-Datei von Akeneo PIM. Importieren Sie sie vor ihren Produkten: akeneo',
  },
  'google-merchant': {
    en: 'The product feed of Google Merchant Center as a text with tabs (TSV)',
    de: 'Der Produktfeed des Google Merchant Centers als Text mit Tabulatoren (TSV)',
  },
  'google-merchant-csv': {
    en: 'The product feed of Google Merchant Center, or of a catalog of Meta, with commas (CSV)',
    de: 'Der Produktfeed des Google Merchant Centers oder eines Katalogs von Meta, mit Kommas (CSV)',
  },
  magento: {
    en: 'The product CSV of Magento 2 and Adobe Commerce, without the rows of single store views',
    de: 'Die Produkt-CSV von Magento 2 und Adobe Commerce, ohne die Zeilen einzelner Store Views',
  },
  'other-platform': {
    en: "A file of items in the columns of the other platform's template, with the attributes that most sites have",
    de: 'Eine Datei mit Artikeln in den Spalten der Vorlage der anderen Plattform, mit den Attributen, die die meisten haben',
  },
  prestashop: {
    en: 'The products of PrestaShop in the columns of its template for imports, by their references',
    de: 'Die Produkte von PrestaShop in den Spalten seiner Vorlage für Importe, nach ihren Artikelnummern',
  },
  'shopify-products': {
    en: 'The products of the product CSV of Shopify, by their handle, each with all its images in their order. Their variants: shopify-variants',
    de: 'Die Produkte der Produkt-CSV von Shopify nach ihrem Handle, jedes mit allen Bildern in deren Reihenfolge. Ihre Varianten: shopify-variants',
  },
  'shopify-variants': {
    en: 'The variants of the product CSV of Shopify, by their SKU; those without a SKU are left out and counted, as rows of images. Import the products first: shopify-products',
    de: 'Die Varianten der Produkt-CSV von Shopify nach ihrer SKU; solche ohne SKU werden ausgelassen und gezählt wie Zeilen von Bildern. Importieren Sie zuerst die Produkte: shopify-products',
  },
  'shopify-variants-by-options': {
    en: 'The variants of the product CSV of Shopify whose SKUs are missing or repeated: each is known by its handle and its options, as in shirt/Red/M. Import the products first: shopify-products',
    de: 'Die Varianten der Produkt-CSV von Shopify, deren SKUs fehlen oder sich wiederholen: Jede wird an Handle und Optionen erkannt, wie shirt/Red/M. Importieren Sie zuerst die Produkte: shopify-products',
  },
  shopware: {
    en: 'The products and variants of the default product profile of Shopware 6, by their numbers. What it names by ids stays a text',
    de: 'Die Produkte und Varianten des Standardprofils für Produkte von Shopware 6, nach ihren Nummern. Was es mit Ids benennt, bleibt ein Text',
  },
  woocommerce: {
    en: 'The product CSV of WooCommerce: simple and variable products and their variations',
    de: 'Die Produkt-CSV von WooCommerce: einfache und variable Produkte und deren Variationen',
  },
});

const NAMES = [
  ...(['akeneo', 'akeneo-models', 'google-merchant', 'google-merchant-csv', 'magento', 'other-platform'] as const),
  ...(['prestashop', 'shopify-products', 'shopify-variants', 'shopify-variants-by-options', 'shopware'] as const),
  'woocommerce' as const,
];

/** @param description as the API says it, in English: of a profile that these pages do not know yet */
export function ShippedDescription({ name, description }: { readonly name: string; readonly description: string }) {
  const t = useText();
  const known = NAMES.find((one) => one === name);
  return known === undefined ? <span lang="en">{description}</span> : <span>{t(known)}</span>;
}
