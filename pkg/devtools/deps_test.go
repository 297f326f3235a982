package devtools_test

import _ "github.com/chromedp/chromedp"
