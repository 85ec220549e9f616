/** The product CSV of PrestaShop in the columns of its template for imports: a row for each product. */
import { HTML, importBody, tableText } from './table.mjs';

const HEADER = [
  ...['Product ID', 'Active (0/1)', 'Name *', 'Categories (x,y,z...)', 'Price tax excluded', 'Tax rules ID'],
  ...['Wholesale price', 'On sale (0/1)', 'Discount amount', 'Discount percent', 'Discount from (yyyy-mm-dd)'],
  ...['Discount to (yyyy-mm-dd)', 'Reference #', 'Supplier reference #', 'Supplier', 'Manufacturer', 'EAN13', 'UPC'],
  ...['MPN', 'Ecotax', 'Width', 'Height', 'Depth', 'Weight', 'Delivery time of in-stock products'],
  ...['Delivery time of out-of-stock products with allowed orders', 'Quantity', 'Minimal quantity', 'Low stock level'],
  ...['Send me an email when the quantity is under this level', 'Visibility', 'Additional shipping cost', 'Unity'],
  ...['Unit price', 'Summary', 'Description', 'Tags (x,y,z...)', 'Meta title', 'Meta keywords', 'Meta description'],
  ...['URL rewritten', 'Text when in stock', 'Text when backorder allowed', 'Available for order (0 = No, 1 = Yes)'],
  ...['Product available date', 'Product creation date', 'Show price (0 = No, 1 = Yes)', 'Image URLs (x,y,z...)'],
  ...['Image alt texts (x,y,z...)', 'Delete existing images (0 = No, 1 = Yes)', 'Feature(Name:Value:Position)'],
  ...['Available online only (0 = No, 1 = Yes)', 'Condition', 'Customizable (0 = No, 1 = Yes)'],
];

export function prestashopFiles(goods) {
  const rows = goods.map((good, index) => ({ 'Product ID': index + 1, ...rowOf(good) }));
  const paths = goods.map(({ path }) => ['Home', ...path].join('->'));
  return {
    'prestashop.csv': tableText(HEADER, rows, ';'),
    'prestashop.import.json': importBody('prestashop', ATTRIBUTES, paths),
  };
}

function rowOf(good) {
  const { code, title, path, price, grams, html, text, tags, images, active, handle, brand, variants, options } = good;
  const isNew = tags.includes('new');
  return {
    ...{ 'Active (0/1)': active ? 1 : 0, 'Name *': title, 'Tax rules ID': 1, 'On sale (0/1)': 0 },
    'Categories (x,y,z...)': [['Home', ...path].join('/'), ...(isNew ? ['New arrivals'] : [])].join(','),
    ...{ 'Price tax excluded': (price / 1.19).toFixed(6), 'Wholesale price': (price / 2).toFixed(6) },
    ...{ 'Reference #': code, 'Supplier reference #': `${code}-S`, Supplier: 'Northern Outdoor', Manufacturer: brand },
    ...(variants.length === 1 ? { EAN13: variants[0].barcode } : {}),
    ...{ Width: 20, Height: grams > 1_000 ? 15.5 : 5, Depth: 30, Weight: (grams / 1_000).toFixed(6) },
    ...{ Quantity: variants.reduce((sum, { stock }) => sum + stock, 0), 'Minimal quantity': 1, Visibility: 'both' },
    ...{ Summary: `<p>${title}</p>`, Description: html, 'Tags (x,y,z...)': tags.join(',') },
    ...{ 'Meta title': title, 'Meta description': text, 'URL rewritten': handle },
    ...{ 'Product available date': good.released, 'Image URLs (x,y,z...)': images.join(','), Condition: 'new' },
    'Feature(Name:Value:Position)': Object.entries(options)
      .map(([name, values], at) => `${name}:${values.join(' / ')}:${at}`)
      .join(','),
  };
}

const ATTRIBUTES = {
  Title: 'TEXT',
  Active: 'BOOLEAN',
  'Short Description': HTML,
  Description: HTML,
  Price: 'DECIMAL',
  Cost: 'DECIMAL',
  Stock: 'INTEGER',
  'Minimum Quantity': 'INTEGER',
  Brand: 'TEXT',
  Supplier: 'TEXT',
  'Supplier SKU': 'TEXT',
  Barcode: 'TEXT',
  UPC: 'TEXT',
  MPN: 'TEXT',
  Width: 'DECIMAL',
  Height: 'DECIMAL',
  Depth: 'DECIMAL',
  Weight: 'DECIMAL',
  Visibility: 'TEXT',
  Condition: 'TEXT',
  Tags: 'TEXT',
  Features: 'TEXT',
  'URL Key': 'TEXT',
  'SEO Title': 'TEXT',
  'SEO Description': 'TEXT',
  Images: 'TEXT',
};
