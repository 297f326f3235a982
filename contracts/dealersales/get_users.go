package dealersales

import (
	"net/http"

	"integration.gateway/contracts"
)

// GetUsers lists the people who work with the application.
var GetUsers = contracts.Operation[GetUsersRequest, UserList]{
	Integration: integration,
	Name:        "get-users",
	Method:      http.MethodGet,
	Path:        "/v1/dealer-sales/users",
	Summary:     "List users",
	Description: "Lists the dealers' people who work with the application, page by page. Their userId is what assignedUserId means elsewhere.",
}

// GetUsersRequest restricts the list.
type GetUsersRequest struct {
	DealerID string `query:"dealerId" json:"dealerId,omitempty" doc:"Only users of this dealer." maxLength:"128" example:"D-014"`
	contracts.Paging
}

// UserList is a page of users.
type UserList struct {
	Users []User `json:"users" nullable:"false" doc:"The page's users, in the application's order."`
	Total *int   `json:"total,omitempty" doc:"How many users there are on all pages, where the application says it." minimum:"0" example:"1"`
}

// User is a person who works with the application.
type User struct {
	UserID    string   `json:"userId" sensitive:"true" doc:"The application's identifier of the user." example:"U-205"`
	FirstName string   `json:"firstName" sensitive:"true" doc:"Given name." example:"Chris"`
	LastName  string   `json:"lastName" sensitive:"true" doc:"Family name." example:"Ortega"`
	Email     string   `json:"email,omitempty" sensitive:"true" doc:"E-mail address." format:"email" example:"chris.ortega@crossroads.example"`
	Phone     string   `json:"phone,omitempty" sensitive:"true" doc:"Telephone number, as the application shows it." example:"+1 217 555 0118"`
	Role      string   `json:"role,omitempty" sensitive:"true" doc:"Position, as the application writes it." example:"Salesperson"`
	DealerIDs []string `json:"dealerIds" nullable:"false" doc:"Dealers that the user works for." example:"[\"D-014\"]"`
	Active    bool     `json:"active" doc:"Whether the user can be assigned." example:"true"`
}
