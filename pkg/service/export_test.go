package service

// Live is what Run does with the host that it has opened.
var Live = (*Host).live
