package devtools_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
	"github.com/go-rod/rod"

	"integration.gateway/contracts/event"
)

func TestChromedpDrivesTheBrowser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	allocator, cancel := remote.NewAllocator(s.ctx, s.url(event.Control))
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(s.site.URL)); err != nil {
		t.Fatal(err)
	}
	hello, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("h1")))
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#what"), "a lamp"), chromedp.Click(chromedp.CSS("#buy"))); err != nil {
		t.Fatal(err)
	}
	done, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("#done")))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(80))
	if err != nil {
		t.Fatal(err)
	}
	if hello != "Hello Anna" || done != "ordered a lamp" || len(picture) < 1000 {
		t.Errorf("%q, %q, a picture of %d bytes", hello, done, len(picture))
	}
}

func TestRodDrivesTheBrowser(t *testing.T) {
	t.Parallel()
	s := setup(t)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	b := rod.New().Context(ctx).ControlURL(s.url(event.Control))
	if err := b.Connect(); err != nil {
		t.Fatal(err)
	}
	err := rod.Try(func() {
		if pages := b.MustPages(); len(pages) != 1 || pages[0].MustElement("body").MustText() != "signed in" {
			t.Errorf("%d pages are there", len(pages))
		}
		page := b.MustPage(s.site.URL).MustWaitLoad()
		if hello := page.MustElement("h1").MustText(); hello != "Hello Anna" {
			t.Error(hello)
		}
		page.MustElement("#what").MustInput("a lamp")
		wait := page.MustWaitNavigation()
		page.MustElement("#buy").MustClick()
		wait()
		if done := page.MustElement("#done").MustText(); done != "ordered a lamp" {
			t.Error(done)
		}
		if len(page.MustScreenshot()) < 1000 {
			t.Error("no picture")
		}
		if cookies := b.MustGetCookies(); len(cookies) != 1 || cookies[0].Value != "Anna" {
			t.Errorf("cookies: %v", cookies)
		}
		page.MustClose()
		b.MustClose()
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.closed:
	case <-time.After(patience):
		t.Error("nobody is told that the client has closed the browser")
	}
	if err := <-s.served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
