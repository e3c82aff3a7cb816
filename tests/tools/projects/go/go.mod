module example.test/own

go 1.22
