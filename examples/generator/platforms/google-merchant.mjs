/** The feed of Google Merchant Center: a row for each variant, and tabs or commas between the cells. */
import { importBody, tableText } from './table.mjs';

const HEADER = [
  ...['id', 'title', 'description', 'link', 'image_link', 'additional_image_link', 'availability', 'price'],
  ...['sale_price', 'brand', 'gtin', 'mpn', 'condition', 'google_product_category', 'product_type', 'item_group_id'],
  ...['color', 'size', 'gender', 'age_group', 'material', 'shipping_weight', 'identifier_exists'],
];
const GOOGLE = { Clothing: 'Apparel & Accessories > Clothing', Camping: '1013' };

export function googleMerchantFiles(goods) {
  const sold = goods.filter(({ active }) => active);
  const rows = sold.flatMap(rowsOf);
  const paths = sold.map(({ path }) => ['Outdoor', ...path].join('->'));
  return {
    'google-merchant.tsv': tableText(HEADER, rows, '\t'),
    'google-merchant.import.json': importBody('google-merchant', ATTRIBUTES, paths),
    'google-merchant.csv': tableText(HEADER, rows),
    'google-merchant-csv.import.json': importBody('google-merchant-csv', ATTRIBUTES, paths),
  };
}

function rowsOf(good) {
  const { title, text, handle, images, brand, path, grams, compareAt } = good;
  const [image, ...others] = images;
  const isClothing = path[0] === 'Clothing';
  return good.variants.map(({ sku, values, price, stock, barcode }) => ({
    id: sku,
    title: [title, ...Object.values(values)].join(' '),
    description: text,
    link: `https://shop.example.com/products/${handle}?variant=${sku}`,
    image_link: image,
    additional_image_link: others.join(','),
    availability: stock > 0 ? 'in_stock' : 'out_of_stock',
    price: `${(compareAt ?? price).toFixed(2)} EUR`,
    sale_price: compareAt === null ? '' : `${price.toFixed(2)} EUR`,
    brand,
    gtin: barcode,
    condition: 'new',
    google_product_category: GOOGLE[path[0]],
    product_type: ['Outdoor', ...path].join(' > '),
    item_group_id: Object.keys(values).length > 0 ? good.code : '',
    color: values.Color,
    size: values.Size,
    gender: isClothing ? 'unisex' : '',
    age_group: isClothing ? 'adult' : '',
    shipping_weight: `${grams} g`,
    identifier_exists: 'yes',
  }));
}

const ATTRIBUTES = {
  Title: 'TEXT',
  Description: 'TEXT',
  Link: 'URL',
  Image: 'URL',
  Images: 'TEXT',
  Availability: {
    type: 'OPTIONS',
    optionsType: 'TEXT',
    options: ['in_stock', 'out_of_stock', 'preorder', 'backorder'],
  },
  Price: 'DECIMAL',
  Currency: 'TEXT',
  'Sale Price': 'DECIMAL',
  'Sale Currency': 'TEXT',
  Brand: 'TEXT',
  Barcode: 'TEXT',
  MPN: 'TEXT',
  Condition: 'TEXT',
  Group: 'TEXT',
  Colour: 'TEXT',
  Size: 'TEXT',
  Gender: 'TEXT',
  'Age Group': 'TEXT',
  Material: 'TEXT',
  'Shipping Weight': 'TEXT',
  'Google Category': 'TEXT',
};
