/** The product CSV of Shopware 6 as its default profile writes it: products, and variants that name them by ids. */
import { createHash } from 'node:crypto';
import { HTML, importBody, tableText } from './table.mjs';

const HEADER = [
  ...['id', 'parent_id', 'product_number', 'active', 'stock', 'name', 'description', 'price_net', 'price_gross'],
  ...['purchase_prices_net', 'purchase_prices_gross', 'tax_id', 'tax_rate', 'tax_name', 'cover_media_id'],
  ...['cover_media_url', 'cover_media_title', 'cover_media_alt', 'manufacturer_id', 'manufacturer_name'],
  ...['categories', 'sales_channel', 'propertyIds', 'optionIds'],
];

export function shopwareFiles(goods) {
  return {
    'shopware.csv': tableText(HEADER, goods.flatMap(rowsOf), ';'),
    'shopware.import.json': importBody('shopware', ATTRIBUTES, ['Products']),
  };
}

/** Ids are 32 digits of a UUID. */
function idOf(what) {
  return createHash('sha256').update(what).digest('hex').slice(0, 32);
}

function pricesOf(gross) {
  return {
    ...{ price_net: Number((gross / 1.19).toFixed(11)), price_gross: gross },
    ...{ purchase_prices_net: Number((gross / 2.38).toFixed(11)), purchase_prices_gross: gross / 2 },
    ...{ tax_id: idOf('tax'), tax_rate: 19, tax_name: 'Standard rate' },
  };
}

function rowsOf(good) {
  const { code, title, html, price, active, brand, images, path, tags, options, variants } = good;
  const id = idOf(code);
  const isVaried = Object.keys(options).length > 0;
  const product = {
    ...{ id, product_number: code, active: active ? 1 : 0, name: title, description: html, ...pricesOf(price) },
    stock: isVaried ? 0 : variants[0].stock,
    ...{ cover_media_id: idOf(images[0]), cover_media_url: images[0], cover_media_title: title },
    ...{ manufacturer_id: idOf(brand), manufacturer_name: brand, sales_channel: idOf('storefront') },
    categories: [path.at(-1), ...(tags.includes('new') ? ['New arrivals'] : [])].map(idOf).join('|'),
    propertyIds: tags.map(idOf).join('|'),
  };
  if (!isVaried) return [product];
  const rows = variants.map(({ sku, values, price: own, stock }) => ({
    ...{ id: idOf(sku), parent_id: id, product_number: sku, active: 1, stock, ...pricesOf(own) },
    optionIds: Object.values(values).map(idOf).join('|'),
  }));
  return [product, ...rows];
}

const ATTRIBUTES = {
  'Shopware Id': 'TEXT',
  'Shopware Parent Id': 'TEXT',
  Title: 'TEXT',
  Description: HTML,
  Active: 'BOOLEAN',
  Stock: 'INTEGER',
  'Net Price': 'DECIMAL',
  'Gross Price': 'DECIMAL',
  'Net Cost': 'DECIMAL',
  'Gross Cost': 'DECIMAL',
  'Tax Rate': 'DECIMAL',
  Brand: 'TEXT',
  Image: 'TEXT',
  Categories: 'TEXT',
  Properties: 'TEXT',
  Options: 'TEXT',
};
