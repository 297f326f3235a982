package e2e_test

import (
	"integration.gateway/contracts"
	"integration.gateway/contracts/clinicrecords"
	clinicsandbox "integration.gateway/services/clinicrecords/sandbox"
)

// What the operations of clinic-records give of the stand-in's own records.

func dollarsOf(amount string) *contracts.Money {
	if amount == "" {
		return nil
	}
	return &contracts.Money{Amount: amount, Currency: "USD"}
}

func appointmentOf(a clinicsandbox.Appointment) clinicrecords.Appointment {
	status, known := map[clinicsandbox.Status]clinicrecords.AppointmentStatus{
		clinicsandbox.Requested: clinicrecords.Requested, clinicsandbox.Booked: clinicrecords.Booked, clinicsandbox.Confirmed: clinicrecords.Confirmed,
		clinicsandbox.CheckedIn: clinicrecords.Arrived, clinicsandbox.InRoom: clinicrecords.InProgress, clinicsandbox.Completed: clinicrecords.Completed,
		clinicsandbox.Cancelled: clinicrecords.Cancelled, clinicsandbox.NoShow: clinicrecords.NoShow,
	}[a.Status]
	if !known {
		status = clinicrecords.Unknown
	}
	modality := map[clinicsandbox.Modality]clinicrecords.Modality{
		clinicsandbox.InPerson: clinicrecords.InPerson, clinicsandbox.Video: clinicrecords.Virtual, clinicsandbox.Phone: clinicrecords.Phone,
	}[a.Modality]
	services := []clinicrecords.BookedService{}
	for _, s := range a.Services {
		services = append(services, clinicrecords.BookedService{ServiceID: s.ID, Name: s.Name, Price: dollarsOf(s.Price)})
	}
	return clinicrecords.Appointment{
		AppointmentID: a.ID, ClinicID: a.Clinic, ProviderID: a.Provider, ProviderName: a.ProviderName, ClientID: a.Client, ClientName: a.ClientName,
		StartTime: a.Start, EndTime: a.End, DurationMinutes: a.Minutes, Modality: modality, Status: status, Services: services, RoomName: a.Room, Notes: a.Notes, CreatedAt: &a.Created,
	}
}

func clientOf(c clinicsandbox.Client) clinicrecords.Client {
	client := clinicrecords.Client{
		ClientID: c.ID, FirstName: c.GivenName, LastName: c.FamilyName, PreferredName: c.GoesBy, Email: c.Email, MobilePhone: c.Mobile, HomePhone: c.Home, BirthDate: c.Born,
		Gender: c.Gender, Status: clinicrecords.ActiveClient, HomeClinicID: c.Clinic, ProviderID: c.Provider, MembershipName: c.Membership, ReferralSource: c.Referral,
		MarketingConsent: c.Marketing, Balance: dollarsOf(c.Balance), Notes: c.Notes, LastVisitDate: c.LastVisit, CreatedAt: &c.Created,
	}
	if c.State == "Archived" {
		client.Status = clinicrecords.InactiveClient
	}
	for to, from := range map[*[]string][]string{&client.Allergies: c.Allergies, &client.MedicalAlerts: c.Alerts, &client.Tags: c.Tags} {
		if len(from) > 0 {
			*to = from
		}
	}
	if a := c.Address; a != nil {
		client.Address = &contracts.Address{Line1: a.Street, Line2: a.Suite, City: a.City, Region: a.State, PostalCode: a.Zip, Country: a.Country}
	}
	return client
}

func stockOf(site *clinicsandbox.Site) []clinicrecords.StockItem {
	var all []clinicrecords.StockItem
	for _, row := range site.Stock() {
		all = append(all, clinicrecords.StockItem{
			ProductID: row.Product, Name: row.Name, SKU: row.SKU, Category: row.Category, ClinicID: row.Clinic, QuantityOnHand: float64(row.OnHand), Unit: row.Unit,
			ReorderLevel: new(float64(row.Reorder)), LotNumber: row.Lot, ExpirationDate: row.Expires, UnitCost: dollarsOf(row.Cost),
		})
	}
	return all
}
