module fairlead/oracles

go 1.24

require (
	github.com/google/go-jsonnet v0.21.0
	github.com/itchyny/gojq v0.12.17
	github.com/robfig/cron/v3 v3.0.1
)

require (
	github.com/itchyny/timefmt-go v0.1.6 // indirect
	golang.org/x/crypto v0.36.0 // indirect
	golang.org/x/sys v0.31.0 // indirect
	sigs.k8s.io/yaml v1.4.0 // indirect
)
