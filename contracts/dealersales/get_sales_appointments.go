package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetSalesAppointments lists sales appointments.
var GetSalesAppointments = contracts.Operation[GetSalesAppointmentsRequest, SalesAppointmentList]{
	Integration: integration,
	Name:        "get-sales-appointments",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/sales/appointments",
	Summary:     "List sales appointments",
	Description: "Lists sales appointments, earliest first, page by page. Filters that are left out do not restrict. The answer is 400 when endDate lies before startDate.",
}

// GetSalesAppointmentsRequest restricts the list.
type GetSalesAppointmentsRequest struct {
	DealerID       string            `query:"dealerId" json:"dealerId,omitempty" doc:"Only appointments at this dealer." maxLength:"128" example:"D-014"`
	AssignedUserID string            `query:"assignedUserId" json:"assignedUserId,omitempty" sensitive:"true" doc:"Only appointments with this user." maxLength:"128" example:"U-205"`
	CustomerID     string            `query:"customerId" json:"customerId,omitempty" sensitive:"true" doc:"Only appointments of this customer." maxLength:"128" example:"C-88012"`
	LeadID         string            `query:"leadId" json:"leadId,omitempty" doc:"Only appointments of this lead." maxLength:"128" example:"L-330871"`
	Status         AppointmentStatus `query:"status" json:"status,omitempty" enum:"scheduled,confirmed,showed,no-show,rescheduled,cancelled,completed,unknown" doc:"Only appointments that have come this far." example:"scheduled"`
	StartDate      string            `query:"startDate" json:"startDate,omitempty" doc:"Only appointments that start on this day or later, in the dealer's time zone." format:"date" example:"2026-11-23"`
	EndDate        string            `query:"endDate" json:"endDate,omitempty" doc:"Only appointments that start on this day or earlier, in the dealer's time zone." format:"date" example:"2026-11-29"`
	contracts.Paging
}

// Validate returns an error of kind Invalid when the days are out of order.
func (r *GetSalesAppointmentsRequest) Validate() error {
	return contracts.DatesInOrder("startDate", r.StartDate, "endDate", r.EndDate)
}

// SalesAppointmentList is a page of sales appointments.
type SalesAppointmentList struct {
	Appointments []SalesAppointment `json:"appointments" nullable:"false" doc:"The page's appointments, earliest first."`
	Total        *int               `json:"total,omitempty" doc:"How many appointments there are on all pages, where the application says it." minimum:"0" example:"1"`
}
