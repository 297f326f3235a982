package contracts

import "math"

// DefaultPageSize is the number of rows of a page when a request names none.
const DefaultPageSize = 50

// Paging is embedded in the request of an operation that lists page by page.
type Paging struct {
	Page     int `query:"page" json:"page,omitempty" doc:"Page to return, counted from 1. The first page when left out." minimum:"1" maximum:"1000000" example:"1"`
	PageSize int `query:"pageSize" json:"pageSize,omitempty" doc:"Rows on a page. 50 when left out." minimum:"1" maximum:"200" example:"50"`
}

// Window returns the half-open range of rows that the page covers when there
// are total rows. It is empty past the end.
func (p Paging) Window(total int) (from, to int) {
	page, size := max(p.Page, 1), p.PageSize
	if size <= 0 {
		size = DefaultPageSize
	}
	if page-1 > math.MaxInt/size-1 {
		return total, total
	}
	from = min((page-1)*size, total)
	return from, min(from+size, total)
}

// DatesInOrder returns an error of kind Invalid when both dates are given and
// the end lies before the start. Dates are in the form 2006-01-02, which sorts
// as text; the names are those of the request's fields.
func DatesInOrder(startName, start, endName, end string) error {
	if start != "" && end != "" && end < start {
		return Errorf(Invalid, "%s must not be before %s", endName, startName)
	}
	return nil
}
