"""The round of Bretagne, a file per phase. A step works on a `Play` and says which stage follows without a decision."""
