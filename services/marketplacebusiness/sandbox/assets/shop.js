import './parts/product-list.js';
import './parts/order-list.js';
import './parts/buy-box.js';
import './parts/shop-cart.js';
import './parts/address-select.js';
import './parts/check-out.js';
